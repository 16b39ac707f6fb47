package dev.sluice.spi;

/**
 * The parameters of one {@code CL.THROTTLE}, checked and reduced: {@code scale} units drain per
 * microsecond, and one unit of quantity weighs {@code step} of them.
 *
 * @param limit {@code max_burst + 1}, 0 or more
 * @param scale count by the common divisor
 * @param step period in microseconds by the common divisor
 * @param quantity units wanted; negative gives back
 * @since 0.1
 */
public record ThrottleRequest(long limit, long scale, long step, long quantity) {
  private static final long MAX_LEVEL = 1L << 52;

  /**
   * Checks and reduces.
   *
   * @param maxBurst the burst, less one
   * @param count units per period
   * @param periodSeconds the period
   * @param quantity units wanted
   * @return the request
   * @throws IllegalArgumentException if a number breaks its rule
   */
  public static ThrottleRequest of(long maxBurst, long count, long periodSeconds, long quantity) {
    require(maxBurst >= -1, "max_burst must be >= -1", maxBurst);
    require(count >= 1, "count must be >= 1", count);
    require(periodSeconds >= 1, "period must be >= 1 second", periodSeconds);
    require(quantity >= -MAX_LEVEL, "quantity must be >= -2^52", quantity);
    require(
        periodSeconds <= MAX_LEVEL / 1_000_000,
        "period must be <= 2^52 microseconds",
        periodSeconds);
    require(count <= MAX_LEVEL, "count must be <= 2^52", count);
    long divisor = LimitRule.gcd(count, periodSeconds * 1_000_000);
    long step = periodSeconds * 1_000_000 / divisor;
    if (maxBurst >= MAX_LEVEL / step) {
      throw new IllegalArgumentException(
          "max_burst "
              + maxBurst
              + " at "
              + count
              + " per "
              + periodSeconds
              + "s cannot be counted exactly: (max_burst + 1) x period / gcd must be at most 2^52"
              + " microseconds");
    }
    return new ThrottleRequest(maxBurst + 1, count / divisor, step, quantity);
  }

  private static void require(boolean holds, String rule, long value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ": " + value);
    }
  }
}
