package dev.sluice.bench.workloads;

import static dev.sluice.bench.chapter.Comparison.ratio;
import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.SENT;
import static dev.sluice.bench.report.Metric.SERVER_CPU;

import dev.sluice.bench.chapter.Comparison;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.run.Callers;
import dev.sluice.bench.run.LockTurns;
import dev.sluice.bench.run.LockTurns.Pattern;
import dev.sluice.bench.run.WorkOrder;
import dev.sluice.bench.systems.LockUse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Semaphores, read-write locks, multi-locks and a cluster; and claims of one hot stock. */
public final class FamilyWorkloads {
  private static final String US = "sluice";
  private static final String FLOOR = "raw";
  private static final int PER_CLOCK = 64;

  /** Claims that each thread has under way where it does not wait for answers. */
  private static final int UNDER_WAY = 256;

  private FamilyWorkloads() {}

  /** {@return those of the lock family, in the order of the report} */
  public static List<Workload> all() {
    List<Workload> all = new ArrayList<>();
    Map<LockUse, String> members = new LinkedHashMap<>();
    members.put(LockUse.SEMAPHORE, "semaphore");
    members.put(LockUse.READ, "read");
    members.put(LockUse.WRITE, "write");
    members.put(LockUse.TOGETHER, "multi-lock");
    members.forEach(
        (use, what) -> {
          all.add(uncontended(use, what, 1, 1.3));
          all.add(uncontended(use, what, 16, 2.5));
        });
    all.add(hot(LockUse.SEMAPHORE, "semaphore", "One hot semaphore of 8 permits"));
    all.add(hot(LockUse.READ, "read", "One hot read lock"));
    all.add(cluster());
    return all;
  }

  private static Comparison loop(
      LockUse use, Pattern pattern, int threads, String id, String title, String meaning) {
    return new Comparison("family", id, title, meaning)
        .loop(1, WorkOrder.of("", threads))
        .rows(new LockTurns.Threads(pattern, use), US, "redisson", FLOOR)
        .floor(FLOOR)
        .columns(LockWorkloads.LOOP)
        .onChart();
  }

  private static Workload uncontended(LockUse use, String what, int threads, double timesPeer) {
    return loop(
            use,
            Pattern.OWN_LOCK,
            threads,
            what + "-" + threads,
            "Uncontended " + what + ", " + LockWorkloads.threads(threads),
            "One process; each thread acquires and releases its own one.")
        .atLeast(": rate against the script floor", ratio(US, FLOOR, OPS), 0.9, " x")
        .atLeast(": rate against Redisson", ratio(US, "redisson", OPS), timesPeer, " x");
  }

  private static Workload hot(LockUse use, String what, String title) {
    return loop(
            use,
            Pattern.ONE_SHARED,
            16,
            "hot-" + what,
            title + ", one process, 16 threads",
            "All threads of one process want the same one.")
        .atLeast(title + ": rate against Redisson", ratio(US, "redisson", OPS), 10, " x");
  }

  private static Workload cluster() {
    return new Comparison(
            "family",
            "cluster-16",
            "Uncontended locks on a cluster of three masters, 16 threads",
            "One process; each thread acquires and releases its own plain lock, on one server"
                + " and on a cluster whose masters share the names.")
        .loop(1, WorkOrder.of("", 16))
        .rows(LockWorkloads.use(Pattern.OWN_LOCK), US, "sluice-cluster")
        .columns(LockWorkloads.LOOP)
        .onChart()
        .atLeast(": rate against one server", ratio("sluice-cluster", US, OPS), 0.9, " x");
  }

  /** {@return claims of limited stock, in the order of the report} */
  public static List<Workload> stock() {
    return List.of(claims(1), claims(16), streamed(), soldOut());
  }

  private static Comparison stock(String id, String title, String meaning, WorkOrder order) {
    return new Comparison("inventory", id, title, meaning)
        .loop(1, order)
        .columns(OPS, OP_P50, OP_P99, SENT, EXECUTED, CLIENT_CPU, SERVER_CPU);
  }

  private static Workload claims(int threads) {
    return stock(
            "claim-" + threads,
            "Claims one by one, " + LockWorkloads.threads(threads),
            "One process, one stock; each thread claims a unit for another claimant each time, and"
                + " waits for the answer.",
            WorkOrder.of("", threads))
        .rows(
            (worker, order) -> Callers.claims(order, worker.library().stock(order.name(), false)),
            US,
            FLOOR)
        .floor(FLOOR)
        .onChart()
        .atLeast(": rate against the script floor", ratio(US, FLOOR, OPS), 0.8, " x");
  }

  private static Workload streamed() {
    return stock(
            "claim-streamed",
            "Claims without waiting for the answer, 4 threads",
            "The same with 256 claims of each thread under way: the floor pipelines calls, Sluice"
                + " puts claims into batches.",
            WorkOrder.of("", 4).sampled(PER_CLOCK))
        .rows(
            (worker, order) ->
                Callers.streams(order, worker.library().stock(order.name(), false), UNDER_WAY),
            US,
            FLOOR)
        .floor(FLOOR)
        .onChart()
        .atLeast(": claims per second", Comparison.of(US, OPS), 100_000, "/s");
  }

  private static Workload soldOut() {
    return stock(
            "sold-out",
            "Sold out, 2 threads",
            "Claims of a stock with nothing left, answered from memory; asked again each 10 s.",
            WorkOrder.of("", 2).sampled(PER_CLOCK))
        .rows(
            (worker, order) -> Callers.claims(order, worker.library().stock(order.name(), true)),
            US)
        .atLeast(": answers per second", Comparison.of(US, OPS), 1_000_000, "/s");
  }
}
