package dev.sluice.bench.soak;

import java.util.Arrays;
import java.util.List;

/**
 * The decision whether a series of measurements grows.
 *
 * @param judged how many values the rule looked at: the second half of the series
 * @param base the median of these values
 * @param rise by how much their floor rose from its beginning to its end, along the line
 * @param allowed the most that the floor may rise
 */
public record Growth(int judged, double base, double rise, double allowed) {
  /*
   * The first half is left out: pools, caches and tombstones fill up in it. What is left is cut
   * into ten parts of equal length, and each part gives its least value. A leak lifts these too; a
   * burst, a heap between two collections, a queue that drains, or any other saw does not, if one
   * part is longer than one tooth. Through the ten values goes the line of Theil and Sen, the
   * median of all slopes between two of them: up to three of the ten parts may be wrong in any
   * way, such as a part in which the server was away, without bending it.
   *
   * H. Theil, A rank-invariant method of linear and polynomial regression analysis, 1950.
   * P. K. Sen, Estimates of the regression coefficient based on Kendall's tau, JASA 63, 1968.
   */
  static final int PARTS = 10;

  /** Fewer values than this say nothing. */
  static final int MIN_COUNT = 6;

  /**
   * The bound below which a change is no growth: the larger of the two.
   *
   * @param least in the series' own unit: what may be under way at the moment of a measurement
   * @param share of the base
   */
  public record Bound(double least, double share) {
    double of(double base) {
      return Math.max(least, share * Math.abs(base));
    }
  }

  /**
   * Judges a series.
   *
   * @param values measurements at even intervals; those that are not a number are left out
   * @param bound how much is no growth
   * @return what was found
   */
  public static Growth of(List<Double> values, Bound bound) {
    double[] half =
        values.subList(values.size() / 2, values.size()).stream()
            .mapToDouble(Double::doubleValue)
            .filter(value -> !Double.isNaN(value))
            .toArray();
    if (half.length < MIN_COUNT) {
      return new Growth(half.length, Double.NaN, 0, Double.NaN);
    }
    double base = median(half.clone());
    double[] floor = floor(half);
    double rise = slope(floor) * (floor.length - 1);
    return new Growth(half.length, base, rise, bound.of(base));
  }

  /** {@return whether there were enough values to tell} */
  public boolean isKnown() {
    return judged >= MIN_COUNT;
  }

  /** {@return whether it rose by more than is allowed} */
  public boolean grows() {
    return isKnown() && rise > allowed;
  }

  /**
   * {@return by what to multiply a rise, or a bound, to have it for an hour}
   *
   * @param judgedSeconds length of the second half. The rise is that between its first and its last
   *     part, so over a part less.
   */
  static double perHour(double judgedSeconds) {
    return 3600 / (judgedSeconds * (PARTS - 1) / PARTS);
  }

  static double[] floor(double[] values) {
    int parts = Math.min(PARTS, values.length);
    double[] floor = new double[parts];
    for (int i = 0; i < parts; i++) {
      int from = i * values.length / parts;
      int to = (i + 1) * values.length / parts;
      floor[i] = Arrays.stream(values, from, to).min().orElse(Double.NaN);
    }
    return floor;
  }

  /** The line of Theil and Sen, for one step. */
  static double slope(double[] values) {
    double[] slopes = new double[values.length * (values.length - 1) / 2];
    int n = 0;
    for (int i = 0; i < values.length; i++) {
      for (int j = i + 1; j < values.length; j++) {
        slopes[n++] = (values[j] - values[i]) / (j - i);
      }
    }
    return median(slopes);
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    int n = values.length;
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  }
}
