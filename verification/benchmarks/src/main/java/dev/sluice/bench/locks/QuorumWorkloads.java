package dev.sluice.bench.locks;

import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.SENT;
import static dev.sluice.bench.report.Metric.SERVER_CPU;
import static dev.sluice.bench.report.Metric.WAIT_P50;
import static dev.sluice.bench.report.Metric.WAIT_P99;
import static dev.sluice.bench.systems.QuorumKind.RAW;
import static dev.sluice.bench.systems.QuorumKind.REDISSON;
import static dev.sluice.bench.systems.QuorumKind.SLUICE;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.run.Pattern;
import java.util.List;

/** Locks on a majority of five servers. */
public final class QuorumWorkloads {
  /** How many servers there are. */
  public static final int SERVERS = 5;

  private QuorumWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(uncontended(1, 2), uncontended(16, 3), new MinorityWorkload());
  }

  private static Workload uncontended(int threads, double timesPeer) {
    String threadsText = threads == 1 ? "1 thread" : threads + " threads";
    String prefix = "Quorum of five, " + threadsText + ": ";
    String us = SLUICE.id();
    return new LoopWorkload(
            "quorum-" + threads,
            "Quorum of five, all alive, " + threadsText,
            "One process; each thread acquires and releases a lock of its own.",
            Pattern.OWN_LOCK,
            1,
            threads)
        .with(Contestant.of(SLUICE))
        .with(Contestant.of(REDISSON))
        .with(Contestant.of(RAW))
        .floor(RAW.id())
        .columns(OPS, OP_P50, OP_P99, WAIT_P50, WAIT_P99, SENT, EXECUTED, CLIENT_CPU, SERVER_CPU)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        prefix + "rate against the raw floor",
                        results.ratio(us, RAW.id(), OPS),
                        0.8,
                        " x"),
                    Goal.atLeast(
                        prefix + "rate against Redisson",
                        results.ratio(us, REDISSON.id(), OPS),
                        timesPeer,
                        " x"),
                    // one acquire and one release at each server; a second round adds three to five
                    Goal.atMost(
                        prefix + "commands sent per pair", results.of(us, SENT), 10.05, "")));
  }
}
