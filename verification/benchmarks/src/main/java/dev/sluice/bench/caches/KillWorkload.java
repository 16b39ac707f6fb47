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
import java.util.List;

/** The process that loads is killed while all others wait for it. */
final class KillWorkload implements Workload {
  private static final int PROCESSES = 4;
  private static final int CALLERS = 50;

  @Override
  public String id() {
    return "kill";
  }

  @Override
  public String title() {
    return "The loader's JVM is killed";
  }

  @Override
  public String meaning() {
    return "50 threads of each of four JVMs ask for one key; the first load does not end, and its JVM"
        + " is killed with SIGKILL 50 ms after it began. Loads: the killed one included. All"
        + " answered: the last caller of the other three, after the kill.";
  }

  @Override
  public List<Metric> columns() {
    return List.of(Metric.LOADS, Metric.ALL_ANSWERED, Metric.FAILED);
  }

  @Override
  public List<Contestant> contestants() {
    return List.of(
        Contestant.of(CacheKind.SLUICE),
        Contestant.of(CacheKind.JETCACHE),
        Contestant.of(CacheKind.RAW));
  }

  @Override
  public boolean once() {
    return false;
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    return CacheRuns.killLoader(
        bench,
        new CacheRuns.Stampede(
            (CacheKind) contestant.kind(),
            contestant.habit(),
            "kill-" + round,
            Scale.processes(pace, PROCESSES),
            CALLERS,
            1));
  }

  @Override
  public List<Goal> goals(Results results) {
    String us = CacheKind.SLUICE.id();
    int kills = results.rounds(us).size();
    return List.of(
        Goal.atMost(
            "Killed loader: most loads, of " + kills + " kills",
            Scale.most(results, us, Metric.LOADS),
            2,
            ""),
        Goal.atMost(
            "Killed loader: callers without an answer, of " + kills + " kills",
            Scale.most(results, us, Metric.FAILED),
            0,
            ""));
  }
}
