package dev.sluice.lock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * Several locks as one: all of them, or none. They are plain locks of the same names, so a holder
 * of one of them alone excludes the multi-lock, and the other way round.
 *
 * <p>A multi-lock requests all names together, in one round trip where they live on one server. If
 * some are busy, it keeps those before the first busy name in the order of names, releases the
 * others, and waits for the busy ones in that order. All multi-locks wait in the same order, so two
 * of them never wait for each other.
 *
 * <pre>{@code
 * MultiLock both = sluice.multiLock("account/7", "account/8");
 * try (MultiLease lease = both.acquire(Duration.ofSeconds(2))) {
 *   orders.write(order, lease.token("account/7"));
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads. A method that takes a wait blocks at most that long and throws
 * {@link InterruptedException} if its thread is interrupted; nothing is held then. {@link
 * #tryAcquire()} blocks for one round trip; an interruption does not end it.
 *
 * @since 0.1
 */
public interface MultiLock {

  /** {@return the names without duplicates, sorted} */
  List<String> names();

  /** {@return the options of the leases} */
  LockOptions options();

  /**
   * Takes all locks if all are free. If it returns empty, nothing is held.
   *
   * @return the lease, or empty when another caller holds one of the locks or waits for it
   * @throws dev.sluice.OutcomeUnknownException if the store did not answer for one of them; what
   *     may have been granted is undone in the background
   * @throws dev.sluice.BackendException if the store refused or cannot be reached, or if a grant
   *     came after its lease had ended and was released
   * @throws IllegalStateException if the client is closed
   */
  Optional<MultiLease> tryAcquire();

  /**
   * Waits up to {@code wait} altogether for all locks.
   *
   * @param wait longest wait, zero or more; zero asks once, like {@link #tryAcquire()}
   * @return the lease. One of a fixed TTL has the whole of it left
   * @throws LockTimeoutException if not all were free in time; nothing is held
   * @throws InterruptedException if the thread is interrupted on entry or while it waits; nothing
   *     is held
   * @throws dev.sluice.OutcomeUnknownException if the wait ended while the store was silent
   * @throws dev.sluice.BackendException if the store refused or was out of reach until the end
   * @throws IllegalStateException if the client is closed
   */
  MultiLease acquire(Duration wait) throws InterruptedException;

  /**
   * Waits as {@link #acquire(Duration)}, with a timeout as a value.
   *
   * @param wait longest wait, zero or more
   * @return the lease, or empty when not all locks were free in time
   * @throws InterruptedException if the thread is interrupted on entry or while it waits
   */
  Optional<MultiLease> tryAcquire(Duration wait) throws InterruptedException;

  /**
   * Runs a task under all locks.
   *
   * @param wait longest wait for the locks
   * @param task the work
   * @throws LockTimeoutException if not all were free in time; the task did not run
   * @throws LeaseLostException if one of the locks was lost before the task ended
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  void run(Duration wait, Runnable task) throws InterruptedException;

  /**
   * Computes a value under all locks.
   *
   * @param wait longest wait for the locks
   * @param task the work
   * @param <T> type of the value
   * @return what the task returned
   * @throws LockTimeoutException if not all were free in time; the task did not run
   * @throws LeaseLostException if one of the locks was lost before the task ended
   * @throws Exception what the task threw, or {@link InterruptedException} while waiting
   */
  <T> T call(Duration wait, Callable<T> task) throws Exception;

  /** {@return an asynchronous view of these locks} */
  AsyncMultiLock async();
}
