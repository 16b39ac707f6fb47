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
import dev.sluice.bench.run.Monitor;
import dev.sluice.bench.systems.SystemKind;
import java.time.Duration;
import java.util.List;

/** How many renewals a held lock costs after many others came and went. */
final class RenewalWorkload implements Workload {

  @Override
  public String id() {
    return "renewal";
  }

  @Override
  public String title() {
    return "Renewals of one held lock";
  }

  @Override
  public String meaning() {
    return "One thread locks and unlocks many times, then holds one lock for 2.1 times its TTL"
        + " (63 s for 30 s). Renewals: commands about that lock that reached the server, by MONITOR; one every third of"
        + " the TTL is due.";
  }

  @Override
  public List<Metric> columns() {
    return List.of(Metric.HOLD_SECONDS, Metric.RENEWALS, Metric.EXECUTED, Metric.SERVER_CPU_SHARE);
  }

  @Override
  public List<Contestant> contestants() {
    return List.of(Contestant.of(SystemKind.SLUICE), Contestant.of(SystemKind.REDISSON));
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    Duration hold = pace.renewalTtl().multipliedBy(21).dividedBy(10);
    Fleet fleet = bench.fleet(contestant.kind(), pace.renewalTtl());
    bench.cycles(fleet, "bench-renewal-cycled-" + contestant.label(), pace.renewalCycles());
    String lock = "bench-renewal-held-" + contestant.label();
    bench.take(fleet, lock);
    Counters before = bench.server().counters();
    Monitor monitor = bench.server().monitor(lock);
    try (monitor) {
      Bench.pause(hold);
    }
    Counters after = bench.server().counters();
    bench.give(fleet);
    double seconds = hold.toMillis() / 1e3;
    return new Sample()
        .put(Metric.HOLD_SECONDS, seconds)
        .put(Metric.RENEWALS, monitor.sent())
        .put(Metric.SERVER_CPU_SHARE, (after.cpuSeconds() - before.cpuSeconds()) / seconds);
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of(
        Goal.atMost(
            "Renewals of one held lock",
            results.of(SystemKind.SLUICE.id(), Metric.RENEWALS),
            7,
            ""));
  }
}
