package dev.sluice.bench.locks;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Counters;
import dev.sluice.bench.run.Fleet;
import dev.sluice.bench.systems.SystemKind;
import java.time.Duration;
import java.util.List;

/** Whether one process can keep very many leases alive, and what that costs. */
final class HeldWorkload implements Workload {
  private static final int THREADS = 32;
  private static final String US = SystemKind.SLUICE.id();

  @Override
  public String id() {
    return "held";
  }

  @Override
  public String title() {
    return "Many leases held at once";
  }

  @Override
  public String meaning() {
    return "One process takes very many locks and holds them for 1.2 times the TTL, so each must be"
        + " renewed at least three times. In doubt: how often a renewal was overdue.";
  }

  @Override
  public List<Metric> columns() {
    return List.of(
        Metric.LEASES,
        Metric.STILL_HELD,
        Metric.DOUBTS,
        Metric.LOST,
        Metric.HOLD_SECONDS,
        Metric.RENEWALS,
        Metric.CLIENT_CPU_SHARE,
        Metric.SERVER_CPU_SHARE);
  }

  @Override
  public List<Contestant> contestants() {
    return List.of(Contestant.of(SystemKind.SLUICE));
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    Duration hold = pace.heldTtl().multipliedBy(12).dividedBy(10);
    Fleet fleet = bench.fleet(contestant.kind(), pace.heldTtl());
    Bench.Held taken = bench.takeMany(fleet, "bench-held-", pace.heldLeases(), THREADS);
    Counters before = bench.server().counters();
    Bench.pause(hold);
    Counters after = bench.server().counters();
    Bench.Held held = bench.checkMany(fleet);
    bench.giveMany(fleet);
    double seconds = hold.toMillis() / 1e3;
    return new Sample()
        .put(Metric.LEASES, pace.heldLeases())
        .put(Metric.STILL_HELD, held.held())
        .put(Metric.DOUBTS, held.doubts())
        .put(Metric.LOST, held.lost())
        .put(Metric.HOLD_SECONDS, seconds)
        .put(Metric.RENEWALS, after.since(before, "evalsha", "eval", "fcall"))
        .put(Metric.CLIENT_CPU_SHARE, (held.cpuSeconds() - taken.cpuSeconds()) / seconds)
        .put(Metric.SERVER_CPU_SHARE, (after.cpuSeconds() - before.cpuSeconds()) / seconds);
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of(
        Goal.atLeast(
            "Many leases: still held after more than their TTL",
            results.ratio(US, Metric.STILL_HELD, US, Metric.LEASES),
            1,
            " of all"),
        Goal.atMost("Many leases: in doubt", results.of(US, Metric.DOUBTS), 0, ""),
        Goal.atMost("Many leases: lost", results.of(US, Metric.LOST), 0, ""));
  }
}
