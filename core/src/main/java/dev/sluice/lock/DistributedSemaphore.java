package dev.sluice.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * A number of permits that several processes share. A caller that acquires gets a {@link Lease} on
 * one or more permits, with a deadline and a fencing token. Permits of a process that died come
 * back when its lease expires. A lease returns its permits once, so there are never more permits
 * than were set.
 *
 * <p>The first use of a name sets its number of permits, 1 to 1,000,000, until a minute after its
 * last use. Another number is refused with {@link WrongCapacityException}, and {@link #resize}
 * changes it.
 *
 * <p>Waiters are served in the order they came, and no caller overtakes a waiter that needs more
 * permits than are free. Threads of this process wait in one local queue, and a free permit passes
 * from one to the next without a round trip, up to the bounds of {@link LockOptions#handOff} while
 * another process waits.
 *
 * <p>Tokens of one name are unique and grow with the store's grants. Where several clients hold
 * permits at the same time, a resource cannot refuse the lower token, because each holder is valid.
 *
 * <pre>{@code
 * DistributedSemaphore exports = sluice.semaphore("exports", 3); // three at a time in the fleet
 * try (Lease lease = exports.acquire(Duration.ofMinutes(1))) {
 *   orders.write(order, lease.token());
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads; instances of one name are interchangeable. A method that takes a
 * wait blocks at most that long and throws {@link InterruptedException} if its thread is
 * interrupted. The other methods block for one round trip at most; an interruption does not end
 * them.
 *
 * @since 0.1
 */
public interface DistributedSemaphore {

  /** {@return the name that processes share} */
  String name();

  /** {@return the number of permits} */
  int permits();

  /** {@return the options of this semaphore's leases} */
  LockOptions options();

  /**
   * Takes a permit if one is free. At most one round trip; none if this process knows that there is
   * none.
   *
   * @return the lease, or empty when all permits are taken or another caller waits
   * @throws WrongCapacityException if the name has another number of permits
   * @throws dev.sluice.OutcomeUnknownException if the store did not answer; a grant that may have
   *     happened is undone in the background
   * @throws dev.sluice.BackendException if the store refused or cannot be reached, or if the grant
   *     came after its lease had ended and was released
   * @throws IllegalStateException if the client is closed
   */
  default Optional<Lease> tryAcquire() {
    return tryAcquire(1);
  }

  /**
   * Takes several permits, all or none, under one lease.
   *
   * @param permits how many, 1 to {@link #permits()}
   * @return the lease, or empty when too few are free or another caller waits
   * @see #tryAcquire()
   */
  Optional<Lease> tryAcquire(int permits);

  /**
   * Waits up to {@code wait} for a permit.
   *
   * @param wait longest wait, zero or more; zero asks once
   * @return the lease
   * @throws LockTimeoutException if no permit was free in time
   * @throws WrongCapacityException if the name has another number of permits
   * @throws InterruptedException if the thread is interrupted on entry or while it waits; nothing
   *     is taken
   * @throws dev.sluice.OutcomeUnknownException if the wait ended while the store was silent
   * @throws dev.sluice.BackendException if the store refused or was out of reach until the end
   * @throws IllegalStateException if the client is closed
   */
  default Lease acquire(Duration wait) throws InterruptedException {
    return acquire(1, wait);
  }

  /**
   * Waits up to {@code wait} for several permits, and takes all or none, under one lease.
   *
   * @param permits how many, 1 to {@link #permits()}
   * @param wait longest wait, zero or more; zero asks once
   * @return the lease
   * @throws InterruptedException if the thread is interrupted on entry or while it waits
   * @see #acquire(Duration)
   */
  Lease acquire(int permits, Duration wait) throws InterruptedException;

  /**
   * Waits as {@link #acquire(Duration)}, with a timeout as a value.
   *
   * @param wait longest wait, zero or more
   * @return the lease, or empty when no permit was free in time
   * @throws InterruptedException if the thread is interrupted on entry or while it waits
   */
  default Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
    return tryAcquire(1, wait);
  }

  /**
   * Waits as {@link #acquire(int, Duration)}, with a timeout as a value.
   *
   * @param permits how many, 1 to {@link #permits()}
   * @param wait longest wait, zero or more
   * @return the lease, or empty when too few were free in time
   * @throws InterruptedException if the thread is interrupted on entry or while it waits
   */
  Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException;

  /**
   * Runs a task under one permit.
   *
   * @param wait longest wait for the permit
   * @param task the work
   * @throws LockTimeoutException if no permit was free in time; the task did not run
   * @throws LeaseLostException if the lease was lost before the task ended
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  void run(Duration wait, Runnable task) throws InterruptedException;

  /**
   * Computes a value under one permit.
   *
   * @param wait longest wait for the permit
   * @param task the work
   * @param <T> type of the value
   * @return what the task returned
   * @throws LockTimeoutException if no permit was free in time; the task did not run
   * @throws LeaseLostException if the lease was lost before the task ended
   * @throws Exception what the task threw, or {@link InterruptedException} while waiting
   */
  <T> T call(Duration wait, Callable<T> task) throws Exception;

  /**
   * {@return the counts of this process for the semaphore since it first used it} No round trip.
   */
  LockStats stats();

  /** {@return an asynchronous view of this semaphore} */
  AsyncSemaphore async();

  /**
   * Changes the number of permits for all processes. Leases go on. If more permits are taken than
   * the new number, none is granted until enough were released. One round trip.
   *
   * @param permits 1 to 1,000,000
   * @return the semaphore with that number; this object keeps the old number
   * @throws dev.sluice.BackendException if the store did not answer
   */
  DistributedSemaphore resize(int permits);

  /**
   * Reads from the store who holds permits and who waits. One round trip; changes nothing.
   *
   * @return what the store knows
   * @throws dev.sluice.BackendException if the store did not answer
   */
  PermitInfo info();
}
