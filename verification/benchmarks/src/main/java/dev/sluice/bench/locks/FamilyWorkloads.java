package dev.sluice.bench.locks;

import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.PUBLISHED;
import static dev.sluice.bench.report.Metric.SENT;
import static dev.sluice.bench.report.Metric.SERVER_CPU;
import static dev.sluice.bench.report.Metric.THREAD_SHARE;
import static dev.sluice.bench.report.Metric.WAIT_P50;
import static dev.sluice.bench.report.Metric.WAIT_P99;
import static dev.sluice.bench.systems.FamilyKind.CLUSTER;
import static dev.sluice.bench.systems.FamilyKind.RAW;
import static dev.sluice.bench.systems.FamilyKind.REDISSON;
import static dev.sluice.bench.systems.FamilyKind.SLUICE;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.run.Pattern;
import dev.sluice.bench.systems.FamilyKind;
import dev.sluice.bench.systems.Habit;
import java.util.List;

/** Semaphores, read-write locks, multi-locks and a cluster, with the goals set for them. */
public final class FamilyWorkloads {
  private static final Metric[] LOOP = {
    OPS,
    OP_P50,
    OP_P99,
    WAIT_P50,
    WAIT_P99,
    SENT,
    EXECUTED,
    PUBLISHED,
    THREAD_SHARE,
    CLIENT_CPU,
    SERVER_CPU
  };

  private static final String US = SLUICE.id();
  private static final String PEER = REDISSON.id();
  private static final String FLOOR = RAW.id();

  private FamilyWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        uncontended(Habit.SEMAPHORE, "semaphore", 1, 1.3),
        uncontended(Habit.SEMAPHORE, "semaphore", 16, 2.5),
        uncontended(Habit.READ, "read", 1, 1.3),
        uncontended(Habit.READ, "read", 16, 2.5),
        uncontended(Habit.WRITE, "write", 1, 1.3),
        uncontended(Habit.WRITE, "write", 16, 2.5),
        uncontended(Habit.TOGETHER, "multi-lock", 1, 1.3),
        uncontended(Habit.TOGETHER, "multi-lock", 16, 2.5),
        hot(Habit.SEMAPHORE, "semaphore", "One hot semaphore of 8 permits"),
        hot(Habit.READ, "read", "One hot read lock"),
        cluster());
  }

  private static Workload uncontended(Habit habit, String what, int threads, double timesPeer) {
    String title =
        "Uncontended " + what + ", " + (threads == 1 ? "1 thread" : threads + " threads");
    return loop(
            what + "-" + threads,
            title,
            "One process; each thread acquires and releases one of its own.",
            Pattern.OWN_LOCK,
            threads,
            habit)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": rate against the script floor",
                        results.ratio(US, FLOOR, OPS),
                        0.9,
                        " x"),
                    Goal.atLeast(
                        title + ": rate against Redisson",
                        results.ratio(US, PEER, OPS),
                        timesPeer,
                        " x")));
  }

  private static Workload hot(Habit habit, String what, String title) {
    return loop(
            "hot-" + what,
            title + ", one process, 16 threads",
            "All threads of one process want the same one.",
            Pattern.ONE_SHARED,
            16,
            habit)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": rate against Redisson",
                        results.ratio(US, PEER, OPS),
                        10,
                        " x")));
  }

  private static Workload cluster() {
    String title = "Uncontended locks on a cluster of three masters, 16 threads";
    return new LoopWorkload(
            "cluster-16",
            title,
            "One process; each thread acquires and releases a plain lock of its own, on one server"
                + " and on a cluster whose masters share the names.",
            Pattern.OWN_LOCK,
            1,
            16)
        .with(Contestant.of(SLUICE))
        .with(Contestant.of(CLUSTER))
        .columns(LOOP)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": rate against one server",
                        results.ratio(CLUSTER.id(), US, OPS),
                        0.9,
                        " x")));
  }

  private static LoopWorkload loop(
      String id, String title, String meaning, Pattern pattern, int threads, Habit habit) {
    LoopWorkload workload =
        new LoopWorkload(id, title, meaning, pattern, 1, threads).floor(FLOOR).columns(LOOP);
    for (FamilyKind kind : List.of(SLUICE, REDISSON, RAW)) {
      workload.with(new Contestant(kind.id(), kind, habit));
    }
    return workload;
  }
}
