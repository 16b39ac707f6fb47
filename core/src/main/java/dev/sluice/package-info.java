/**
 * The entry point: connect to a store, and create primitives by name.
 *
 * <h2>Interruption</h2>
 *
 * Every primitive follows these rules:
 *
 * <ul>
 *   <li>A method that waits for other processes declares {@link InterruptedException}: {@code
 *       acquire}, {@code tryAcquire} with a wait, {@code run}, {@code call} and {@code await}. If
 *       its thread is interrupted on entry or during the wait, it throws, clears the interrupted
 *       status, and takes nothing. A grant that was already on its way is released. The message
 *       says what the thread waited for.
 *   <li>Any other method that asks the store waits at most for the deadline of the store. An
 *       interruption does not end it, and the thread stays interrupted.
 *   <li>A read of a cache may wait for a load, but declares no checked exception. If its thread is
 *       interrupted meanwhile, it throws {@link dev.sluice.SluiceException} and the thread stays
 *       interrupted.
 *   <li>{@code close()} of a client, an election or a consumer of claims waits at most some
 *       seconds. An interruption does not undo it, and the thread stays interrupted.
 *   <li>Making a client or a store connects. If the thread is interrupted meanwhile, it throws
 *       {@link dev.sluice.BackendException} and the thread stays interrupted. A {@code
 *       ZooKeeperGuard} treats an interruption of its driver in the same way, with {@link
 *       dev.sluice.OutcomeUnknownException}.
 *   <li>Asynchronous forms have no thread to interrupt: cancel the future of the stage instead.
 * </ul>
 */
@NullMarked
package dev.sluice;

import org.jspecify.annotations.NullMarked;
