package dev.sluice.bench.systems;

import java.io.Serializable;
import java.time.Duration;

/**
 * The rule of a limiter under test.
 *
 * @param shape how it counts, where a library has a choice
 * @param capacity most permits in a burst, where a library has a separate burst
 * @param count permits per period
 * @param extra an option that differs from the library's defaults
 */
public record Allowance(Shape shape, long capacity, long count, Duration period, Extra extra)
    implements Serializable {

  /** The way in which permits are counted. */
  public enum Shape {
    /** Permits flow back evenly. */
    BUCKET,
    /** So many in every window, in ten slots. */
    WINDOW
  }

  /** An option of a library. */
  public enum Extra {
    /** The defaults. */
    NONE,
    /** The process takes permits in advance. */
    LEASING,
    /** A call gives up after one second. */
    IMPATIENT
  }

  /** With the defaults of the library. */
  public Allowance(Shape shape, long capacity, long count, Duration period) {
    this(shape, capacity, count, period, Extra.NONE);
  }

  /** {@return the same with an option} */
  public Allowance with(Extra option) {
    return new Allowance(shape, capacity, count, period, option);
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
