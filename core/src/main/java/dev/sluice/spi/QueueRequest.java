package dev.sluice.spi;

import dev.sluice.limit.Limit;

/**
 * A caller of a leaky queue.
 *
 * @param limiter name of the limiter
 * @param key whose queue
 * @param client the process
 * @param ticket number of the caller within the process; never used twice
 * @param cost intervals that the caller takes up, 0 or more; 0 looks
 * @param intervalMicros time between two callers
 * @param places most callers that wait
 * @param maxWaitMicros longest wait; nothing is taken if the turn comes later
 * @since 0.1
 */
public record QueueRequest(
    String limiter,
    String key,
    String client,
    long ticket,
    long cost,
    long intervalMicros,
    int places,
    long maxWaitMicros) {

  /**
   * {@return the time between two callers of a queue, in microseconds: rounded up, and at least 1}
   *
   * @param queue a leaky queue
   */
  public static long intervalMicros(Limit queue) {
    return Math.max(1, LimitRule.ceilDiv(queue.periodMicros(), queue.count()));
  }
}
