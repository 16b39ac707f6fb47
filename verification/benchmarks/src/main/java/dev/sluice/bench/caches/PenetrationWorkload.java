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

/** Random keys that do not exist, against a cache that knows by a Bloom filter which do. */
final class PenetrationWorkload implements Workload {
  private static final int KEYS = 1_000_000;
  private static final int THREADS = 64;

  @Override
  public String id() {
    return "penetration";
  }

  @Override
  public String title() {
    return "Keys that do not exist";
  }

  @Override
  public String meaning() {
    return "64 threads of one process ask for 1,000,000 random keys that do not exist (a third of"
        + " them with --quick), each once. The filter has 100,000 keys and a rate of 0.01."
        + " Measured/requested: loads against 0.01 of the keys. Without a guard, every key is a load,"
        + " whatever is cached.";
  }

  @Override
  public List<Metric> columns() {
    return List.of(
        Metric.OPS,
        Metric.LOADS,
        Metric.ACCURACY,
        Metric.EXECUTED,
        Metric.CLIENT_CPU,
        Metric.SERVER_CPU);
  }

  @Override
  public List<Contestant> contestants() {
    return List.of(Contestant.of(CacheKind.SLUICE));
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    return CacheRuns.seek(
        bench, (CacheKind) contestant.kind(), "penetration", Scale.of(pace, KEYS), THREADS);
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of(
        Goal.atMost(
            "Keys that do not exist: loads against the filter's rate",
            results.of(CacheKind.SLUICE.id(), Metric.ACCURACY),
            1.05,
            " x"));
  }
}
