package dev.sluice.bench.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Numbers for reading: three figures, thousands marked. */
public final class ReadableNumbers {
  private ReadableNumbers() {}

  static String plain(double value) {
    if (Double.isInfinite(value)) {
      return "never";
    }
    if (Double.isNaN(value)) {
      return "-";
    }
    double size = Math.abs(value);
    if (value == Math.rint(value) && size < 1000) {
      return String.format(Locale.ROOT, "%d", (long) value);
    }
    if (size >= 100) {
      return String.format(Locale.ROOT, "%,d", Math.round(value));
    }
    if (size >= 10) {
      return String.format(Locale.ROOT, "%.1f", value);
    }
    if (size >= 0.1) {
      return String.format(Locale.ROOT, "%.2f", value);
    }
    return BigDecimal.valueOf(value).round(new MathContext(2)).toPlainString();
  }

  /** Median, with least and most where there was more than one round. */
  static String spread(Spread spread) {
    if (spread.rounds() < 2 || spread.least() == spread.most()) {
      return plain(spread.median());
    }
    return plain(spread.median())
        + " ("
        + plain(spread.least())
        + " to "
        + plain(spread.most())
        + ")";
  }

  /** {@return a number for a chart: 1.2 M, 35 k, 870} */
  public static String brief(double value) {
    if (value >= 999_500) {
      return String.format(Locale.ROOT, "%.1f M", value / 1e6);
    }
    if (value >= 9_950) {
      return String.format(Locale.ROOT, "%.0f k", value / 1e3);
    }
    if (value >= 1000) {
      return String.format(Locale.ROOT, "%.1f k", value / 1e3);
    }
    return value >= 10 ? String.format(Locale.ROOT, "%.0f", value) : plain(value);
  }
}
