package dev.sluice.latch;

import dev.sluice.MissingDataException;
import java.time.Duration;

/**
 * A count-down latch that several processes share: some count down, others wait for zero. Once it
 * is open, a new count may be set, for the next round.
 *
 * <p>Set the count before you start the waiting processes. A latch that was never set, or that was
 * deleted, has the count zero, and a wait for it ends immediately.
 *
 * <pre>{@code
 * DistributedLatch ready = sluice.latch("import/7");
 * ready.trySetCount(4); // one for each part, before the workers start
 * ready.countDown(); // a worker has finished
 * if (ready.await(Duration.ofMinutes(10))) {
 *   orders.read(); // all four have
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads; instances of one name are interchangeable. {@link #await} blocks
 * at most for its wait and throws {@link InterruptedException} if its thread is interrupted. The
 * other methods block until the store answers, at most five seconds; an interruption does not end
 * them.
 *
 * @since 0.1
 */
public interface DistributedLatch {

  /** The longest time that a latch may be kept: 3650 days. */
  Duration MAX_KEEP = Duration.ofDays(3650);

  /** The highest count: 2^31 - 1. */
  long MAX_COUNT = Integer.MAX_VALUE;

  /** {@return the name that processes share} */
  String name();

  /**
   * Sets the count, if it is zero, for a latch that is kept for one day after its last use.
   *
   * @param count 1 to {@link #MAX_COUNT}
   * @return true if this call set it; false if the latch still has a count
   * @throws dev.sluice.OutcomeUnknownException if the store did not answer within five seconds; the
   *     count may be set
   * @throws dev.sluice.BackendException if the store refused or cannot be reached
   */
  boolean trySetCount(long count);

  /**
   * Sets the count, if it is zero.
   *
   * @param count 1 to {@link #MAX_COUNT}
   * @param keep how long the latch is kept after its last use: set, counted down, or waited for. 1
   *     s to {@link #MAX_KEEP}. Then the store deletes it, even if it never opened
   * @return true if this call set it; false if the latch still has a count
   */
  boolean trySetCount(long count, Duration keep);

  /**
   * Counts down by one; at zero every wait ends. Does nothing when the count is zero. Calls of
   * several threads share requests. A request without an answer is repeated for up to five seconds
   * and counts once.
   *
   * @return what is left, after all calls that shared the request
   * @throws dev.sluice.OutcomeUnknownException if the store did not answer in that time, or too few
   *     of its replicas confirmed; the call may count, once
   * @throws dev.sluice.BackendException if the store refused or was out of reach; the call does not
   *     count
   */
  long countDown();

  /**
   * Reads the present count from the store. One round trip; changes nothing.
   *
   * @return what the store knows
   * @throws dev.sluice.BackendException if the store did not answer
   * @throws IllegalStateException if the client is closed
   */
  LatchInfo info();

  /**
   * Waits until the latch opens. A message wakes the waiters; a lost message costs at most a
   * second. The store keeps the latch while a caller waits.
   *
   * @param wait longest wait, zero or more; zero asks once
   * @return true if the latch opened, or its count was zero to begin with; false if the wait is
   *     over
   * @throws InterruptedException if the thread is interrupted on entry or while it waits
   * @throws MissingDataException if the store has lost the latch, so that it is unknown whether it
   *     opened
   * @throws dev.sluice.BackendException if the wait ended while the store was silent or away
   */
  boolean await(Duration wait) throws InterruptedException;

  /** {@return an asynchronous view of this latch} */
  AsyncLatch async();
}
