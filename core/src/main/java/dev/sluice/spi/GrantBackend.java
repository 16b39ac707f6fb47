package dev.sluice.spi;

import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.PermitInfo;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The operations of locks, semaphores and read-write locks. A lock is a name with one unit, a
 * semaphore one with some, and a writer takes all units of a read-write lock. Each verb is one
 * atomic step at the store, decided by the store's own clock. No call blocks. Every stage completes
 * within the backend's request timeout: with the answer, with {@link
 * dev.sluice.OutcomeUnknownException} when none came, with another {@link
 * dev.sluice.SluiceException} when the store certainly did nothing.
 *
 * <p>A client runs its attempts on one name one after the other: a new one begins when the last was
 * granted or given up. Of {@link Backend#locks()} a client has one grant at most, and a new attempt
 * ends what the one before has. Of {@link Backend#permits()} it may have several grants, each ended
 * by itself.
 *
 * @since 0.1
 */
public interface GrantBackend {

  /**
   * Requests units, polls for them, or takes a grant that was reserved for this ticket. Repeating
   * it with the same attempt is safe.
   *
   * @param request who asks, for what
   * @return the decision; fails with {@link dev.sluice.lock.WrongCapacityException} when the name
   *     has another capacity
   */
  CompletionStage<GrantReply> acquire(GrantRequest request);

  /**
   * Returns whether a grant may be valid for less than the requested TTL, because it ends with a
   * session, for example. Its owner then calls {@link #renew} in time for the rest of the TTL. Such
   * a store sends {@link LockMessage.Kind#IN_DOUBT} to its clients when it no longer knows.
   *
   * @return false unless the store is such
   */
  default boolean mayGrantShorterThanTtl() {
    return false;
  }

  /**
   * Returns whether a writer may overtake waiting readers: {@link GrantRequest#first()}. A client
   * makes no read-write lock of that order where this is false.
   *
   * @return true unless the store serves tickets in the order they came only
   */
  default boolean servesWritersFirst() {
    return true;
  }

  /**
   * Extends the grant of this attempt, if it has not ended.
   *
   * @param attempt the attempt that was granted
   * @param ttlMicros time from now, in microseconds; a grant is never shortened
   * @return the decision
   */
  CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros);

  /**
   * Releases units and hands them to the tickets at the head that fit. With {@code keep} zero the
   * attempt is over: its ticket leaves the queue, and acquires of it that arrive later are refused.
   * Otherwise its grant goes on with at most {@code keep} units, and never has more again. Repeated
   * or late calls change nothing.
   *
   * @param attempt the attempt
   * @param keep units that the grant keeps, zero or more; zero of a lock
   * @return true if the attempt had a live grant
   */
  CompletionStage<Boolean> release(GrantAttempt attempt, int keep);

  /**
   * Reads a name without changing it.
   *
   * @param name the name
   * @return what the store knows
   */
  CompletionStage<PermitInfo> inspect(String name);

  /**
   * Lists names that the store knows: held, waited for, or kept for their token.
   *
   * @param limit most names to return, at least 1
   * @return names, in no order
   */
  CompletionStage<List<String>> names(int limit);

  /**
   * Delivers messages for a client. A message is a hint: it may be lost, late or repeated.
   *
   * @param client the process
   * @param listener called for each message; must not block
   * @return completes once messages are delivered
   */
  CompletionStage<Void> listen(String client, Consumer<LockMessage> listener);

  /**
   * Ends {@link #listen}.
   *
   * @param client the process
   */
  void unlisten(String client);

  /** {@return the operation of a delayed release; empty if the store does not support it} */
  default Optional<Delay> delay() {
    return Optional.empty();
  }

  /**
   * {@return the operation that ends another client's grant; empty if the store does not support
   * it}
   */
  default Optional<Force> force() {
    return Optional.empty();
  }

  /** {@return the resolution of a different capacity; empty if there is none} */
  default Optional<Resize> resize() {
    return Optional.empty();
  }

  /** Releases a lock with a delay. */
  @FunctionalInterface
  interface Delay {

    /**
     * Ends an attempt and leaves its grant without a holder: no release, renewal or acquire of any
     * client affects it, and it expires after {@code delayMicros}, whether that is sooner or later
     * than before.
     *
     * @param attempt the attempt of a lock that is over
     * @param delayMicros time from now, in microseconds, more than zero
     * @return true if this attempt had a live grant
     */
    CompletionStage<Boolean> releaseAfter(GrantAttempt attempt, long delayMicros);
  }

  /** Ends a grant of another client. */
  @FunctionalInterface
  interface Force {

    /**
     * Ends the current grant of a lock, of any holder, and hands over to the next live ticket. The
     * attempt that held it is over: its renewals and releases touch nothing from here on. The store
     * spends a token above all that the grant could use, so that a guard may refuse them
     * immediately. It sends {@link LockMessage.Kind#TAKEN} to the holder.
     *
     * @param name the lock
     * @param token the grant that is to end, by the token that {@link PermitInfo.Holder} shows; 0
     *     for any
     * @return what was ended; empty if the lock was free, or held with another token
     */
    CompletionStage<Optional<ForcedRelease>> force(String name, long token);
  }

  /** Sets another capacity. */
  @FunctionalInterface
  interface Resize {

    /**
     * Sets another capacity. Grants stay as they are; with fewer units than are out, none is given
     * until enough came back.
     *
     * @param name the semaphore
     * @param capacity units from now on
     * @return the capacity before, zero if none was settled
     */
    CompletionStage<Integer> resize(String name, int capacity);
  }
}
