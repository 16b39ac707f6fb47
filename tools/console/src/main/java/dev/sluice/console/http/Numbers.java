package dev.sluice.console.http;

/** Numbers as they are sent. */
public final class Numbers {
  private Numbers() {}

  /** Two digits behind the point: nobody sees more, and a second of a fleet is sent each second. */
  public static double round(double value) {
    return Math.rint(value * 100) / 100;
  }
}
