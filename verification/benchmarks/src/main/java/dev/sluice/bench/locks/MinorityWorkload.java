package dev.sluice.bench.locks;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Pattern;
import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.QuorumKind;
import java.time.Duration;
import java.util.List;

/** A quorum of five with two of its servers stopped, beside the same with all alive. */
final class MinorityWorkload implements Workload {
  private static final int STOPPED = 2;
  private static final Contestant ALIVE =
      new Contestant("sluice, all alive", QuorumKind.SLUICE, Habit.PLAIN);
  private static final Contestant WITHOUT =
      new Contestant("sluice, two stopped", QuorumKind.SLUICE, Habit.PLAIN);

  @Override
  public String id() {
    return "minority-stopped";
  }

  @Override
  public String title() {
    return "Quorum of five, two of them stopped";
  }

  @Override
  public String meaning() {
    return "One thread acquires and releases one lock of its own, while two servers are stopped"
        + " with SIGSTOP. Wait: how long acquire takes.";
  }

  @Override
  public List<Metric> columns() {
    return List.of(Metric.OPS, Metric.OP_P50, Metric.OP_P99, Metric.WAIT_P50, Metric.WAIT_P99);
  }

  @Override
  public List<Contestant> contestants() {
    return List.of(ALIVE, WITHOUT);
  }

  @Override
  public boolean once() {
    return false;
  }

  @Override
  public void warmUp(Bench bench, Contestant contestant, Pace pace) throws Exception {
    trial(bench, contestant, "warm-up", pace.warmUp(), Duration.ZERO);
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    boolean stops = contestant.equals(WITHOUT);
    if (stops) {
      bench.server().stop(STOPPED);
    }
    try {
      return trial(bench, contestant, Integer.toString(round), pace.leadIn(), pace.window());
    } finally {
      if (stops) {
        bench.server().goOn(STOPPED);
      }
    }
  }

  private Sample trial(
      Bench bench, Contestant contestant, String round, Duration leadIn, Duration window)
      throws Exception {
    String lock = "bench-" + id() + "-" + contestant.label() + "-" + round;
    return bench.run(
        new Bench.Trial(
            contestant.kind(),
            contestant.habit(),
            Pattern.OWN_LOCK,
            lock.replace(' ', '-').replace(",", ""),
            1,
            1,
            1,
            leadIn,
            window,
            false));
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of(
        Goal.atMost(
            "Two of five stopped: p99 of acquire against all alive",
            results.ratio(WITHOUT.label(), ALIVE.label(), Metric.WAIT_P99),
            1.5,
            " x"));
  }
}
