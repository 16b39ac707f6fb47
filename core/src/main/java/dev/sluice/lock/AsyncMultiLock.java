package dev.sluice.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous view of a {@link MultiLock}: the same locks, requested in the same order. Stages
 * complete on Sluice's callback executor, with the exceptions that the blocking form throws.
 * Cancelling the future of a stage gives up the wait; what was granted by then is released.
 *
 * @since 0.1
 */
public interface AsyncMultiLock {

  /**
   * Takes all locks if all are free.
   *
   * @return completes with the lease, or empty when another lease holds one of the locks
   */
  CompletionStage<Optional<MultiLease>> tryAcquire();

  /**
   * Waits up to {@code wait} altogether for all locks, with a timeout as a value.
   *
   * @param wait longest wait, zero or more
   * @return completes with the lease, or empty when not all locks were free in time
   */
  CompletionStage<Optional<MultiLease>> tryAcquire(Duration wait);

  /**
   * Waits up to {@code wait} altogether for all locks.
   *
   * @param wait longest wait, zero or more
   * @return completes with the lease, or with {@link LockTimeoutException}
   */
  CompletionStage<MultiLease> acquire(Duration wait);
}
