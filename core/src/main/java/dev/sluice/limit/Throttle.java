package dev.sluice.limit;

/**
 * The operation of redis-cell: parameters come with each call, and the only state is one time for
 * each key. Any store, no server module. Safe for use by many threads.
 *
 * @since 0.1
 */
public interface Throttle {

  /**
   * {@code CL.THROTTLE key max_burst count period quantity}.
   *
   * @param key whose bucket, 1 to 512 bytes of UTF-8
   * @param maxBurst the burst, less one; at least -1, which admits nothing
   * @param count units per period, at least 1
   * @param period seconds, at least 1
   * @param quantity units wanted; 0 looks, a negative number gives back, never above full
   * @return the five values
   * @throws IllegalArgumentException if a number breaks its rule, or if {@code (maxBurst + 1) x
   *     period} in microseconds, reduced by the common divisor with {@code count}, exceeds 2^52
   * @throws dev.sluice.BackendException if the store did not answer
   */
  ThrottleReply clThrottle(String key, long maxBurst, long count, long period, long quantity);
}
