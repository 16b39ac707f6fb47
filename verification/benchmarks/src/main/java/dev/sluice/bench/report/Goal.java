package dev.sluice.bench.report;

/**
 * Something we promised to reach.
 *
 * @param text what is compared
 * @param measured what this run says
 * @param bound at least or at most this much
 * @param atLeast whether the bound is a least value
 * @param unit written after the numbers
 */
public record Goal(String text, Spread measured, double bound, boolean atLeast, String unit) {

  public static Goal atLeast(String text, Spread measured, double bound, String unit) {
    return new Goal(text, measured, bound, true, unit);
  }

  public static Goal atMost(String text, Spread measured, double bound, String unit) {
    return new Goal(text, measured, bound, false, unit);
  }

  /** Whether the median reaches the bound; false if nothing was measured. */
  public boolean met() {
    return atLeast ? measured.median() >= bound : measured.median() <= bound;
  }

  public String target() {
    return (atLeast ? "at least " : "at most ") + ReadableNumbers.plain(bound) + unit;
  }

  public String result() {
    return ReadableNumbers.spread(measured) + unit;
  }
}
