package dev.sluice.lock;

import java.time.Duration;
import java.util.Optional;

/**
 * A lock that several processes share. Each grant is a {@link Lease} with a fencing token; the
 * lease owns the lock, not the thread, so a thread that acquires twice waits for itself; see {@link
 * #asReentrantLock()} for a lock that a thread owns.
 *
 * <p>Threads of this process wait in one local queue, in the order they came. One request to the
 * store serves the whole queue, and the lock passes from one thread to the next without a round
 * trip. A running thread may overtake the first waiter only while that waiter is still waking up.
 *
 * <p>Blocking, interruption and exceptions are those of {@link LeaseLock}. {@link #info}, {@link
 * #releaseAfter} and {@link #forceRelease()} block for one round trip; an interruption does not end
 * them.
 *
 * <pre>{@code
 * try (Lease lease = sluice.lock("orders/42").acquire(Duration.ofSeconds(2))) {
 *   orders.write(order, lease.token()); // the resource refuses an older token
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads; instances of one name are interchangeable.
 *
 * @since 0.1
 */
public interface DistributedLock extends LeaseLock {

  /**
   * Reads from the store who holds the lock and who waits. One round trip; changes nothing.
   *
   * @return what the store knows
   * @throws dev.sluice.BackendException if the store did not answer
   * @throws IllegalStateException if the client is closed
   */
  LockInfo info();

  /**
   * Ends a lease of this lock immediately and keeps the lock taken for a while: no process gets it
   * before {@code delay} has passed, not even this one. The store keeps the delay, so the death of
   * this process does not shorten it. For work that must not be repeated too soon. Blocks for one
   * round trip; an interruption does not end it. If the store does not answer, or does not have
   * delayed release (a quorum), the lock stays taken until the lease would have ended.
   *
   * @param lease a lease that this lock or another object of its name and client granted
   * @param delay time from now until the lock is free, up to the configured maximum of a TTL; zero
   *     or less means {@link Lease#release()}
   * @return true if this call ended a lease that was still held; false if it was lost, or released
   *     before
   * @throws IllegalArgumentException if the lease is not of this lock, or the delay is too long
   */
  boolean releaseAfter(Lease lease, Duration delay);

  /**
   * Ends the current lease, in any process. For operators, when a holder hangs. Blocks for one
   * round trip; an interruption does not end it.
   *
   * <p>The store ends the grant immediately and serves the next waiter. The old holder learns of it
   * by a message, or by its next renewal at the latest. Until then two processes may regard the
   * lock as theirs. Late renewals and releases of the old holder change nothing. A resource that is
   * raised to {@link ForcedRelease#fence()} refuses the old holder immediately.
   *
   * @return whose lease was ended; empty when the lock was free, and nothing was changed
   * @throws dev.sluice.BackendException if the store did not answer; the lease may be ended
   * @throws UnsupportedOperationException if the store cannot do it
   */
  Optional<ForcedRelease> forceRelease();

  /**
   * Ends the current lease if it has this token, because another process may have acquired the lock
   * since {@link #info()} was called. Otherwise like {@link #forceRelease()}.
   *
   * @param token of the holder, as {@link LockInfo} showed it; at least 1
   * @return whose lease was ended; empty when no holder has this token, and nothing was changed
   * @throws IllegalArgumentException if the token is less than 1
   * @throws dev.sluice.BackendException if the store did not answer; the lease may be ended
   * @throws UnsupportedOperationException if the store cannot do it
   */
  Optional<ForcedRelease> forceRelease(long token);

  /** {@return an asynchronous view of this lock} */
  @Override
  AsyncDistributedLock async();
}
