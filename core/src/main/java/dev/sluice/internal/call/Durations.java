package dev.sluice.internal.call;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/** Durations in callers' units and in messages. */
public final class Durations {
  /** Longer than any process lives, and far from an overflow of the clock. */
  public static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE / 4);

  private Durations() {}

  /**
   * Checks a caller's longest wait.
   *
   * @param wait zero or more
   * @return nanoseconds, at most those of {@link #FOREVER}
   */
  public static long checkWait(Duration wait) {
    requireNonNull(wait, "wait must not be null");
    if (wait.isNegative()) {
      throw new IllegalArgumentException("wait must not be negative: " + wait);
    }
    return (wait.compareTo(FOREVER) > 0 ? FOREVER : wait).toNanos();
  }

  /** Formats whole seconds, else milliseconds, else microseconds: "30s", "250ms", "80us". */
  public static String shortly(Duration time) {
    if (time.compareTo(Duration.ofDays(1)) >= 0 && time.toSeconds() % 86_400 == 0) {
      return time.toDays() + "d";
    }
    if (time.getNano() == 0) {
      return time.toSeconds() + "s";
    }
    long micros = time.toNanos() / 1000;
    return micros >= 1000 ? micros / 1000 + "ms" : micros + "us";
  }
}
