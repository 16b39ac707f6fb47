package dev.sluice.console.http;

/** Numbers as they are sent. */
public final class Numbers {
  private Numbers() {}

  /**
   * Two digits behind the point: a page shows no more, and the numbers of all processes are sent
   * each second.
   */
  public static double round(double value) {
    return Math.rint(value * 100) / 100;
  }
}
