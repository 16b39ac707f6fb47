package dev.sluice.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous view of a {@link DistributedLock}: the same queue, the same leases. Stages
 * complete on Sluice's callback executor, with the exceptions that the blocking form throws.
 * Cancelling the future of a stage that waits for the lock gives up the wait. Safe for use by many
 * threads.
 *
 * @since 0.1
 */
public interface AsyncDistributedLock extends AsyncLock {

  /**
   * See {@link DistributedLock#info}.
   *
   * @return completes with what the store knows
   */
  CompletionStage<LockInfo> info();

  /**
   * See {@link DistributedLock#releaseAfter}.
   *
   * @param lease a lease of this lock and client
   * @param delay time from now until the lock is free; zero or less means a release
   * @return completes with true if this call ended a lease that was still held
   */
  CompletionStage<Boolean> releaseAfter(Lease lease, Duration delay);

  /**
   * See {@link DistributedLock#forceRelease()}.
   *
   * @return completes with whose lease was ended, or empty
   */
  CompletionStage<Optional<ForcedRelease>> forceRelease();

  /**
   * See {@link DistributedLock#forceRelease(long)}.
   *
   * @param token of the holder, at least 1
   * @return completes with whose lease was ended, or empty
   */
  CompletionStage<Optional<ForcedRelease>> forceRelease(long token);
}
