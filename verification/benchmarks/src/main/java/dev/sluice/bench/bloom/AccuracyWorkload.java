package dev.sluice.bench.bloom;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Probes;
import dev.sluice.bench.systems.BloomKind;
import dev.sluice.bench.systems.Habit;
import java.util.ArrayList;
import java.util.List;

/** How often a full filter is wrong, against how often it may be. */
final class AccuracyWorkload implements Workload {
  private static final int SIZE = 100_000;
  private static final double[] RATES = {0.01, 0.001};

  /** At the higher rate, in a run of full length: 2,000 wrong answers are due. */
  private static final int PROBES = 200_000;

  private static final int FULL_MILLIS = 1_500;

  private static String label(BloomKind kind, double rate) {
    return kind.id() + ", " + rate;
  }

  private static double rate(Contestant contestant) {
    return Double.parseDouble(contestant.label().substring(contestant.label().indexOf(' ')));
  }

  @Override
  public String id() {
    return "accuracy";
  }

  @Override
  public String title() {
    return "Wrong answers of a full filter";
  }

  @Override
  public String meaning() {
    return "A filter for 100,000 elements at the rate named is filled with so many and asked for"
        + " others: at 0.001 for a million, at 0.01 for a fifth of that, a third of both in a"
        + " quick run.";
  }

  @Override
  public List<Metric> columns() {
    return List.of(Metric.WRONG, Metric.ACCURACY);
  }

  @Override
  public List<Contestant> contestants() {
    List<Contestant> all = new ArrayList<>();
    for (double rate : RATES) {
      for (BloomKind kind : List.of(BloomKind.SLUICE, BloomKind.REDISSON)) {
        all.add(new Contestant(label(kind, rate), kind, Habit.PLAIN));
      }
    }
    return all;
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    Probes probes = new Probes(bench, contestant.kind());
    double rate = rate(contestant);
    String filter = "bench-accuracy-" + contestant.label().replace(", ", "-") + "-" + round;
    probes.fill(filter, SIZE, rate, true);
    long due = rate == RATES[0] ? PROBES : 5L * PROBES;
    int count = (int) (due * Math.min(pace.window().toMillis(), FULL_MILLIS) / FULL_MILLIS);
    double wrong = probes.wrong(filter, SIZE, count);
    return new Sample().put(Metric.WRONG, wrong).put(Metric.ACCURACY, wrong / count / rate);
  }

  @Override
  public List<Goal> goals(Results results) {
    List<Goal> goals = new ArrayList<>();
    for (double rate : RATES) {
      goals.add(
          Goal.atMost(
              "Wrong answers at " + rate + ": measured against requested",
              results.of(label(BloomKind.SLUICE, rate), Metric.ACCURACY),
              1.05,
              " x"));
    }
    return goals;
  }
}
