package dev.sluice.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Lock;

/**
 * A lock whose grants are {@link Lease}s: the common methods of {@link DistributedLock} and both
 * sides of a {@link DistributedReadWriteLock}.
 *
 * <p>The lease owns the lock, not the thread. So a thread that acquires twice waits for itself; see
 * {@link #asReentrantLock()} for a lock that a thread owns.
 *
 * <p>A method that takes a wait blocks at most that long, or until the store answers the request
 * that is under way. It throws {@link InterruptedException} if its thread is interrupted, and takes
 * nothing. {@link #tryAcquire()} blocks for one round trip at most; an interruption does not end
 * it.
 *
 * <pre>{@code
 * LeaseLock lock = sluice.readWriteLock("catalogue").writeLock();
 * try (Lease lease = lock.acquire(Duration.ofSeconds(2))) {
 *   orders.write(order, lease.token()); // the resource refuses an older token
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads; instances of one name are interchangeable.
 *
 * @since 0.1
 */
public interface LeaseLock {

  /** {@return the name that processes share} */
  String name();

  /** {@return the options of this lock's leases} */
  LockOptions options();

  /**
   * Takes the lock if it is free. Needs at most one round trip, and none if this process knows that
   * the lock is busy.
   *
   * @return the lease, or empty when another caller holds the lock or waits for it
   * @throws dev.sluice.OutcomeUnknownException if the store did not answer; a grant that may have
   *     happened is undone in the background
   * @throws dev.sluice.BackendException if the store refused or cannot be reached, or if the grant
   *     came after its lease had ended and was released
   * @throws IllegalStateException if the client is closed
   */
  Optional<Lease> tryAcquire();

  /**
   * Waits up to {@code wait} for the lock.
   *
   * @param wait longest wait, zero or more; zero asks once, like {@link #tryAcquire()}
   * @return the lease
   * @throws LockTimeoutException if the lock was not free in time
   * @throws InterruptedException if the thread is interrupted on entry or while it waits; nothing
   *     is taken
   * @throws dev.sluice.OutcomeUnknownException if the wait ended while the store was silent
   * @throws dev.sluice.BackendException if the store refused or was out of reach until the end
   * @throws IllegalStateException if the client is closed
   */
  Lease acquire(Duration wait) throws InterruptedException;

  /**
   * Waits as {@link #acquire(Duration)}, with a timeout as a value.
   *
   * @param wait longest wait, zero or more
   * @return the lease, or empty when the lock was not free in time
   * @throws InterruptedException if the thread is interrupted on entry or while it waits
   */
  Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

  /**
   * Runs a task under the lock.
   *
   * @param wait longest wait for the lock
   * @param task the work
   * @throws LockTimeoutException if the lock was not free in time; the task did not run
   * @throws LeaseLostException if the lease was lost before the task ended
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  void run(Duration wait, Runnable task) throws InterruptedException;

  /**
   * Computes a value under the lock.
   *
   * @param wait longest wait for the lock
   * @param task the work
   * @param <T> type of the value
   * @return what the task returned
   * @throws LockTimeoutException if the lock was not free in time; the task did not run
   * @throws LeaseLostException if the lease was lost before the task ended
   * @throws Exception what the task threw, or {@link InterruptedException} while waiting
   */
  <T> T call(Duration wait, Callable<T> task) throws Exception;

  /** {@return the counts of this process for the lock since it first used it} No round trip. */
  LockStats stats();

  /** {@return an asynchronous view of this lock} */
  AsyncLock async();

  /**
   * Returns a view as {@link java.util.concurrent.locks.Lock}: owned by the thread, re-entrant, one
   * lease (and one token) from the outermost lock to the last unlock. {@code unlock} by another
   * thread throws {@link IllegalMonitorStateException}; {@code unlock} of a lost lease throws
   * {@link LeaseLostException}. No conditions.
   *
   * @return a new view; all views of one client and name share what a thread holds
   */
  Lock asReentrantLock();
}
