package dev.sluice.bench.caches;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.CacheRuns;
import dev.sluice.bench.systems.CacheKind;
import dev.sluice.bench.systems.Habit;
import java.io.IOException;
import java.util.List;

/** A whole fleet asks for one key that is not cached any more. */
final class StampedeWorkload implements Workload {
  private static final int PROCESSES = 8;
  private static final int CALLERS = 200;

  /** In each round. */
  private static final int EXPIRIES = 100;

  /** The others need longer for each, or tell the same after a few. */
  private static final int EXPIRIES_OF_PEERS = 15;

  private static final int WARM_UP = 10;

  @Override
  public String id() {
    return "stampede";
  }

  @Override
  public String title() {
    return "Stampede";
  }

  @Override
  public String meaning() {
    return "200 threads of each of eight JVMs ask for one key at once, just after it was dropped,"
        + " again and again; a load takes 50 ms. Loads: per expiry, in all JVMs together. Waiters:"
        + " callers per expiry who asked before the first load had ended and were answered after"
        + " it; answered after: how much later, by the clock that all processes share. Commands and"
        + " CPU are per caller. Sluice waits for the store for 100 ms, its default, and the second"
        + " one for 1 s; whoever gets no answer in time loads past the store.";
  }

  @Override
  public List<Metric> columns() {
    return List.of(
        Metric.EXPIRIES,
        Metric.SINGLE_LOADS,
        Metric.LOADS,
        Metric.MOST_LOADS,
        Metric.WAITERS,
        Metric.AFTER_P50,
        Metric.AFTER_P99,
        Metric.FAILED,
        Metric.EXECUTED,
        Metric.SERVER_CPU);
  }

  @Override
  public List<Contestant> contestants() {
    return List.of(
        Contestant.of(CacheKind.SLUICE),
        new Contestant("sluice, 1 s", CacheKind.SLUICE, Habit.IMPATIENT),
        Contestant.of(CacheKind.REDISSON),
        Contestant.of(CacheKind.JETCACHE),
        Contestant.of(CacheKind.RAW));
  }

  @Override
  public boolean once() {
    return false;
  }

  @Override
  public void warmUp(Bench bench, Contestant contestant, Pace pace) throws Exception {
    int full = contestant.label().equals(CacheKind.SLUICE.id()) ? WARM_UP : WARM_UP / 3;
    run(bench, contestant, "warm-up", Scale.of(pace, full), pace);
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    int full = contestant.label().equals(CacheKind.SLUICE.id()) ? EXPIRIES : EXPIRIES_OF_PEERS;
    return run(bench, contestant, Integer.toString(round), Scale.of(pace, full), pace);
  }

  private static Sample run(
      Bench bench, Contestant contestant, String round, int expiries, Pace pace)
      throws InterruptedException, IOException {
    return CacheRuns.stampede(
        bench,
        new CacheRuns.Stampede(
            (CacheKind) contestant.kind(),
            contestant.habit(),
            "stampede-" + contestant.habit() + "-" + round,
            Scale.processes(pace, PROCESSES),
            CALLERS,
            expiries));
  }

  @Override
  public List<Goal> goals(Results results) {
    String us = CacheKind.SLUICE.id();
    double expiries = Scale.sum(results, us, Metric.EXPIRIES);
    double single =
        results.rounds(us).stream()
            .mapToDouble(
                round -> round.get(Metric.EXPIRIES) * round.get(Metric.SINGLE_LOADS) / expiries)
            .sum();
    return List.of(
        Goal.atLeast(
            "Stampede: " + (long) expiries + " expiries in all rounds, share with exactly one load",
            expiries == 0 ? Scale.one(Double.NaN) : Scale.one(single),
            99.9,
            " %"),
        Goal.atMost(
            "Stampede: waiters answered after the load's end, p99",
            results.of(us, Metric.AFTER_P99),
            10,
            " ms"));
  }
}
