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
import java.time.Duration;
import java.util.List;

/** Keys that were stored together expire. */
final class AvalancheWorkload implements Workload {
  private static final int KEYS = 100_000;
  private static final int BINS = 60;
  private static final Duration TTL = Duration.ofMinutes(10);
  private static final double JITTER = 0.1;
  private static final String US = CacheKind.SLUICE.id();
  private static final String TOGETHER = "sluice, no jitter";

  @Override
  public String id() {
    return "avalanche";
  }

  @Override
  public String title() {
    return "Keys stored together";
  }

  @Override
  public String meaning() {
    return "100,000 keys are stored at one moment with a TTL of ten minutes (a third of them with"
        + " --quick), and all are read every second of the last minute, in which they expire. In"
        + " virtual time, over the memory backend. Peak: loads in the worst second against the mean"
        + " of all 60.";
  }

  @Override
  public List<Metric> columns() {
    return List.of(Metric.LOADS, Metric.PEAK);
  }

  @Override
  public List<Contestant> contestants() {
    return List.of(
        Contestant.of(CacheKind.SLUICE), new Contestant(TOGETHER, CacheKind.SLUICE, Habit.PLAIN));
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    return CacheRuns.expire(
        bench,
        (CacheKind) contestant.kind(),
        Scale.of(pace, KEYS),
        TTL,
        contestant.label().equals(TOGETHER) ? 0 : JITTER,
        BINS);
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of(
        Goal.atMost(
            "Keys stored together: loads in the worst second against the mean",
            results.of(US, Metric.PEAK),
            1.5,
            " x"));
  }
}
