package dev.sluice.internal;

import java.time.Duration;

/** Durations as people write them. */
final class Texts {
  private Texts() {}

  /**
   * Seconds when it is whole seconds, else milliseconds, else microseconds: "30s", "250ms", "80us".
   */
  static String shortly(Duration time) {
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
