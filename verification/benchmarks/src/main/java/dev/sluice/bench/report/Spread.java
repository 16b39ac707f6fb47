package dev.sluice.bench.report;

import java.util.Collection;

/**
 * A number over several rounds.
 *
 * @param median middle value; the mean of the two in the middle when they are even
 * @param least smallest value
 * @param most largest value
 * @param rounds how many rounds had this number
 */
public record Spread(double median, double least, double most, int rounds) {

  /** Sums up rounds; those that are not a number do not count. */
  public static Spread of(Collection<Double> values) {
    double[] sorted =
        values.stream()
            .mapToDouble(Double::doubleValue)
            .filter(value -> !Double.isNaN(value))
            .sorted()
            .toArray();
    int n = sorted.length;
    if (n == 0) {
      return new Spread(Double.NaN, Double.NaN, Double.NaN, 0);
    }
    double median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    return new Spread(median, sorted[0], sorted[n - 1], n);
  }

  /** {@return the median, with least and most where they differ} */
  public String text() {
    return ReadableNumbers.spread(this);
  }

  public boolean isKnown() {
    return rounds > 0;
  }
}
