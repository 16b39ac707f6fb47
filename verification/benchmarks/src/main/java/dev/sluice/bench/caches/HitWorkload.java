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
import dev.sluice.bench.systems.Tier;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Threads of one process that read values which are cached.
 *
 * @param bare whose rate ours is compared with
 * @param least the least share of it
 * @param batch reads between two looks at the clock
 */
record HitWorkload(
    String id,
    String title,
    String meaning,
    Tier tier,
    CacheKind bare,
    double least,
    int threads,
    int batch,
    List<Metric> columns)
    implements Workload {
  private static final int KEYS = 1024;
  private static final int BYTES = 100;

  @Override
  public String floor() {
    return bare.id();
  }

  @Override
  public boolean charted() {
    return true;
  }

  @Override
  public boolean once() {
    return false;
  }

  @Override
  public List<Contestant> contestants() {
    return List.of(
        Contestant.of(CacheKind.SLUICE),
        Contestant.of(CacheKind.REDISSON),
        Contestant.of(CacheKind.JETCACHE),
        Contestant.of(bare));
  }

  @Override
  public void warmUp(Bench bench, Contestant contestant, Pace pace) throws Exception {
    trial(bench, contestant, "warm-up", pace.warmUp(), Duration.ZERO, false);
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    return trial(
        bench, contestant, Integer.toString(round), pace.leadIn(), pace.window(), round == 1);
  }

  private Sample trial(
      Bench bench,
      Contestant contestant,
      String round,
      Duration leadIn,
      Duration window,
      boolean census)
      throws InterruptedException, IOException {
    return CacheRuns.hits(
        bench,
        new CacheRuns.Hits(
            (CacheKind) contestant.kind(),
            id + "-" + round,
            tier,
            KEYS,
            BYTES,
            threads,
            batch,
            leadIn,
            window,
            census));
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of(
        Goal.atLeast(
            title + ": rate against " + (bare == CacheKind.CAFFEINE ? "Caffeine" : "GET"),
            results.ratio(CacheKind.SLUICE.id(), bare.id(), Metric.OPS),
            least,
            " x"));
  }
}
