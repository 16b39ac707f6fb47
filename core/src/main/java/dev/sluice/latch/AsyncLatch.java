package dev.sluice.latch;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous view of a {@link DistributedLatch}: the same requests. Stages complete on
 * Sluice's callback executor, with the exceptions that the blocking form throws. Safe for use by
 * many threads.
 *
 * @since 0.1
 */
public interface AsyncLatch {

  /**
   * See {@link DistributedLatch#trySetCount(long)}.
   *
   * @param count 1 to {@link DistributedLatch#MAX_COUNT}
   * @return completes with true if this call set the count
   */
  CompletionStage<Boolean> trySetCount(long count);

  /**
   * See {@link DistributedLatch#trySetCount(long, Duration)}.
   *
   * @param count 1 to {@link DistributedLatch#MAX_COUNT}
   * @param keep 1 s to {@link DistributedLatch#MAX_KEEP}
   * @return completes with true if this call set the count
   */
  CompletionStage<Boolean> trySetCount(long count, Duration keep);

  /**
   * See {@link DistributedLatch#countDown}.
   *
   * @return completes with what is left
   */
  CompletionStage<Long> countDown();

  /**
   * See {@link DistributedLatch#info}.
   *
   * @return completes with what the store knows
   */
  CompletionStage<LatchInfo> info();

  /**
   * See {@link DistributedLatch#await}. Cancelling the future of the stage ends the wait.
   *
   * @param wait longest wait, zero or more; zero asks once
   * @return completes with true if the latch opened, false if the wait is over
   */
  CompletionStage<Boolean> await(Duration wait);
}
