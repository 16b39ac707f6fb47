package dev.sluice.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous view of a {@link DistributedSemaphore}: the same queue, the same leases. Stages
 * complete on Sluice's callback executor, with the exceptions that the blocking form throws.
 * Cancelling the future of a stage that waits for permits gives up the wait; a grant that was
 * already on its way is released. Safe for use by many threads.
 *
 * @since 0.1
 */
public interface AsyncSemaphore {

  /**
   * Takes a permit if one is free.
   *
   * @return completes with the lease, or empty when all permits are taken or another caller waits
   */
  default CompletionStage<Optional<Lease>> tryAcquire() {
    return tryAcquire(1);
  }

  /**
   * Takes several permits, all or none, under one lease.
   *
   * @param permits how many, 1 to {@link DistributedSemaphore#permits()}
   * @return completes with the lease, or empty when too few are free or another caller waits
   */
  CompletionStage<Optional<Lease>> tryAcquire(int permits);

  /**
   * Waits up to {@code wait} for a permit, with a timeout as a value.
   *
   * @param wait longest wait, zero or more
   * @return completes with the lease, or empty when no permit was free in time
   */
  default CompletionStage<Optional<Lease>> tryAcquire(Duration wait) {
    return tryAcquire(1, wait);
  }

  /**
   * Waits up to {@code wait} for several permits, with a timeout as a value.
   *
   * @param permits how many, 1 to {@link DistributedSemaphore#permits()}
   * @param wait longest wait, zero or more
   * @return completes with the lease, or empty when too few were free in time
   */
  CompletionStage<Optional<Lease>> tryAcquire(int permits, Duration wait);

  /**
   * Waits up to {@code wait} for a permit.
   *
   * @param wait longest wait, zero or more
   * @return completes with the lease, or with {@link LockTimeoutException}
   */
  default CompletionStage<Lease> acquire(Duration wait) {
    return acquire(1, wait);
  }

  /**
   * Waits up to {@code wait} for several permits, and takes all or none, under one lease.
   *
   * @param permits how many, 1 to {@link DistributedSemaphore#permits()}
   * @param wait longest wait, zero or more
   * @return completes with the lease, or with {@link LockTimeoutException}
   */
  CompletionStage<Lease> acquire(int permits, Duration wait);

  /**
   * See {@link DistributedSemaphore#resize}.
   *
   * @param permits 1 to 1,000,000
   * @return completes with the semaphore of that number
   */
  CompletionStage<DistributedSemaphore> resize(int permits);

  /**
   * See {@link DistributedSemaphore#info}.
   *
   * @return completes with what the store knows
   */
  CompletionStage<PermitInfo> info();
}
