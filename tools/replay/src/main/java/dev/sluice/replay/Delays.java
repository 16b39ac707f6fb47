package dev.sluice.replay;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The waiting times of admitted callers. */
final class Delays {
  /** The longest wait that a limiter promises. */
  static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);

  private final Histogram waits = new Histogram(1, MAX_MICROS, 2);
  private long delayed;
  private long most;

  void add(long micros) {
    waits.recordValue(Math.min(micros, MAX_MICROS));
    delayed += micros > 0 ? 1 : 0;
    most = Math.max(most, micros);
  }

  long delayed() {
    return delayed;
  }

  long most() {
    return most;
  }

  /** The wait that a share of the callers did not exceed, rounded up by at most 1 %. */
  long quantile(double share) {
    return Math.min(most, waits.getValueAtPercentile(100 * share));
  }
}
