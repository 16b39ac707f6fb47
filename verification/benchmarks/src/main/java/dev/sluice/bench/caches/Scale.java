package dev.sluice.bench.caches;

import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.report.Spread;
import java.util.List;
import java.util.stream.DoubleStream;

/** How much of what is counted a run has time for, and what all of its rounds say together. */
final class Scale {
  private static final long FULL_MILLIS = Pace.full().window().toMillis();

  /** Below this a run only tries whether everything works. */
  private static final long TRIAL_MILLIS = 200;

  private Scale() {}

  /** {@return as much of a full run's number as the measured time is of a full run's} */
  static int of(Pace pace, int full) {
    return (int) Math.max(1, full * Math.min(FULL_MILLIS, pace.window().toMillis()) / FULL_MILLIS);
  }

  /** {@return how many processes take part} */
  static int processes(Pace pace, int most) {
    return pace.window().toMillis() < TRIAL_MILLIS ? Math.min(2, most) : most;
  }

  /** {@return the greatest value of any round, as the one number it is} */
  static Spread most(Results results, String contestant, Metric metric) {
    return one(values(results, contestant, metric).max().orElse(Double.NaN));
  }

  /** {@return the sum over all rounds} */
  static double sum(Results results, String contestant, Metric metric) {
    return values(results, contestant, metric).sum();
  }

  /** {@return a number that all rounds have together} */
  static Spread one(double value) {
    return Spread.of(List.of(value));
  }

  private static DoubleStream values(Results results, String contestant, Metric metric) {
    return results.rounds(contestant).stream().mapToDouble((Sample sample) -> sample.get(metric));
  }
}
