package dev.sluice.spi;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The operations of count-down latches: each is one atomic step at the store, decided by the
 * store's clock, as in {@code LatchState}. No call blocks; stages complete as those of {@link
 * GrantBackend} do.
 *
 * <p>A client numbers its requests for a latch upwards and sends one after the other: it repeats
 * one under the same number, or goes on with a higher one, after which the lower one has no effect.
 *
 * @since 0.1
 */
public interface LatchBackend {

  /**
   * Sets the count, if it is zero.
   *
   * @param name the latch
   * @param client the process
   * @param number of the request
   * @param count at least 1
   * @param keepMicros how long the latch is kept after its last use
   * @return whether this request set it, now or when it came before
   */
  CompletionStage<Boolean> trySet(
      String name, String client, long number, long count, long keepMicros);

  /**
   * Counts down; at zero, sends a message to the waiters.
   *
   * @param name the latch
   * @param client the process
   * @param number of the request
   * @param by at least 1; below zero nothing is counted
   * @return the count afterwards; that of now when the request came before
   */
  CompletionStage<Long> countDown(String name, String client, long number, long by);

  /**
   * Reads a latch.
   *
   * @param name the latch
   * @param waiter a client that gets a message when the latch opens, if it looks again within
   *     {@code LatchState.WAITER_MICROS}; empty: none
   * @return what the store knows
   */
  CompletionStage<LatchReply> look(String name, String waiter);

  /**
   * Delivers names of latches that opened. A message is a hint: it may be lost, late or repeated.
   *
   * @param client the process
   * @param listener called for each message; must not block
   * @return completes once messages are delivered
   */
  CompletionStage<Void> listenForLatches(String client, Consumer<String> listener);

  /**
   * Ends {@link #listenForLatches}.
   *
   * @param client the process
   */
  void unlistenForLatches(String client);
}
