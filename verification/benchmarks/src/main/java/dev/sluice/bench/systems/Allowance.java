package dev.sluice.bench.systems;

import java.io.Serializable;
import java.time.Duration;

/**
 * What a limiter lets through.
 *
 * @param shape how it counts, where a library has a choice
 * @param capacity most permits at once, where a library has a burst of its own
 * @param count permits per period
 */
public record Allowance(Shape shape, long capacity, long count, Duration period)
    implements Serializable {

  /** How permits are counted. */
  public enum Shape {
    /** Permits flow back evenly. */
    BUCKET,
    /** So many in every window, in ten slots. */
    WINDOW
  }

  /** {@return a bucket that no benchmark empties: a million a second and a huge burst} */
  public static Allowance ample() {
    return new Allowance(Shape.BUCKET, 1_000_000_000, 1_000_000, Duration.ofSeconds(1));
  }

  /** {@return microseconds between two permits} */
  public double intervalMicros() {
    return period.toNanos() / 1e3 / count;
  }

  /**
   * {@return the most permits that may be admitted within a closed span}
   *
   * @param nanos length of the span, at most one period for a window
   */
  public long bound(long nanos) {
    return shape == Shape.WINDOW ? capacity : capacity + nanos * count / period.toNanos();
  }
}
