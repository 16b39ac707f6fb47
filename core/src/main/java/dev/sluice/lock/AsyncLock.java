package dev.sluice.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous view of a {@link LeaseLock}: the same queue, the same leases. Stages complete on
 * Sluice's callback executor, with the exceptions that the blocking form throws. Cancelling the
 * future of a stage gives up the wait; a grant that was already on its way is released.
 *
 * @since 0.1
 */
public interface AsyncLock {

  /**
   * Takes the lock if it is free.
   *
   * @return completes with the lease, or empty when another lease holds the lock
   */
  CompletionStage<Optional<Lease>> tryAcquire();

  /**
   * Waits up to {@code wait} for the lock, with a timeout as a value.
   *
   * @param wait longest wait, zero or more
   * @return completes with the lease, or empty when the lock was not free in time
   */
  CompletionStage<Optional<Lease>> tryAcquire(Duration wait);

  /**
   * Waits up to {@code wait} for the lock.
   *
   * @param wait longest wait, zero or more
   * @return completes with the lease, or with {@link LockTimeoutException}
   */
  CompletionStage<Lease> acquire(Duration wait);
}
