package dev.sluice.console.http;

/** Formats numbers for the response. */
public final class Numbers {
  private Numbers() {}

  /**
   * Rounds to two decimal places, which is all that a page shows; the numbers of all processes are
   * sent each second.
   */
  public static double round(double value) {
    return Math.rint(value * 100) / 100;
  }
}
