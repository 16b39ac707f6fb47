package dev.sluice.bench.workloads;

import static dev.sluice.bench.chapter.Comparison.of;
import static dev.sluice.bench.chapter.Comparison.ratio;
import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.FAILED;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.PROCESS_SHARE;
import static dev.sluice.bench.report.Metric.SAMPLES;
import static dev.sluice.bench.report.Metric.SERVER_CPU;
import static dev.sluice.bench.report.Metric.THREAD_SHARE;
import static dev.sluice.bench.report.Metric.WAIT_P50;
import static dev.sluice.bench.report.Metric.WAIT_P99;

import dev.sluice.bench.chapter.Comparison;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.run.LockTurns;
import dev.sluice.bench.run.LockTurns.Pattern;
import dev.sluice.bench.run.WorkOrder;
import dev.sluice.bench.systems.LockUse;
import java.util.List;
import java.util.Locale;

/** Locks on ZooKeeper and on databases. */
public final class EngineWorkloads {
  private static final Metric[] LOOP = {
    OPS, OP_P50, OP_P99, WAIT_P50, WAIT_P99, EXECUTED, THREAD_SHARE, CLIENT_CPU, SERVER_CPU
  };

  private static final String ZOOKEEPER = "sluice-zk";
  private static final String POSTGRESQL = "sluice-pg";
  private static final String ALTERNATING = ZOOKEEPER + ", bound 1";
  private static final String ONE_LOCK =
      "All threads of one process want one lock; each turn adds one to a plain counter,"
          + " which is checked.";

  private EngineWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        zookeeper(1),
        zookeeper(16),
        zookeeperHot(),
        zookeeperAcrossProcesses(),
        handOver("zookeeper-hand-over", "ZooKeeper, hand-over to another process")
            .rows(LockWorkloads.use(Pattern.HAND_OVER), ZOOKEEPER, "curator"),
        postgresql(1),
        postgresql(16),
        postgresqlHot(),
        handOver("database-hand-over", "Databases, hand-over to another process")
            .rows(
                LockWorkloads.use(Pattern.HAND_OVER),
                POSTGRESQL,
                "spring-jdbc",
                "sluice-mariadb",
                "sluice-sqlite")
            .atMost(
                "PostgreSQL, hand-over to another process: p50",
                of(POSTGRESQL, WAIT_P50),
                10_000,
                " us"),
        sqlite(),
        each(1),
        each(16));
  }

  /** What waits for a disk has few turns, among which the first use of a name would show. */
  private static Comparison loop(
      String id, String title, String meaning, int processes, int threads) {
    return new Comparison("engines", id, title, meaning)
        .loop(processes, WorkOrder.of("", threads))
        .reads(
            (bench, done) ->
                done.sample().put(EXECUTED, done.executed() / Math.max(1, done.turns())));
  }

  private static Comparison uncontended(String engine, int threads, String... ids) {
    return loop(
            engine.toLowerCase(Locale.ROOT) + "-" + threads,
            engine + ", uncontended, " + LockWorkloads.threads(threads),
            "One process; each thread acquires and releases its own lock.",
            1,
            threads)
        .rows(LockWorkloads.use(Pattern.OWN_LOCK), ids)
        .floor(ids[ids.length - 1])
        .columns(LOOP)
        .onChart();
  }

  /**
   * Beyond a whole number: the turns at both ends of the window, the questions of the harness and
   * pings are counted too, which is more where more threads are under way.
   */
  private static double more(int threads) {
    return threads == 1 ? 0.03 : 0.1;
  }

  private static Workload zookeeper(int threads) {
    return uncontended("ZooKeeper", threads, ZOOKEEPER, "curator", "raw-zk")
        .atLeast(": rate against Curator", ratio(ZOOKEEPER, "curator", OPS), 1, " x")
        .atMost(": requests per pair", of(ZOOKEEPER, EXECUTED), 3 + more(threads), "");
  }

  private static Workload zookeeperHot() {
    String title = "ZooKeeper, one hot lock, one process, 16 threads";
    return loop("zookeeper-hot-16", title, ONE_LOCK, 1, 16)
        .rows(LockWorkloads.use(Pattern.ONE_LOCK), ZOOKEEPER, "curator")
        .columns(LOOP)
        .onChart()
        .atLeast(": rate against Curator", ratio(ZOOKEEPER, "curator", OPS), 10, " x");
  }

  private static Workload zookeeperAcrossProcesses() {
    return loop(
            "zookeeper-hot-4x8",
            "ZooKeeper, one hot lock, 4 processes of 8 threads",
            "The same across four JVMs; the counter is in memory that all of them map. \""
                + ALTERNATING
                + "\" gives the lock to another process after each turn.",
            4,
            8)
        .rows(LockWorkloads.use(Pattern.ONE_LOCK), ZOOKEEPER)
        .row(ALTERNATING, ZOOKEEPER, new LockTurns.Threads(Pattern.ONE_LOCK, LockUse.ALTERNATING))
        .rows(LockWorkloads.use(Pattern.ONE_LOCK), "curator")
        .columns(
            OPS,
            OP_P50,
            OP_P99,
            WAIT_P50,
            WAIT_P99,
            EXECUTED,
            THREAD_SHARE,
            PROCESS_SHARE,
            CLIENT_CPU,
            SERVER_CPU)
        .onChart()
        .atLeast(": rate against Curator", ratio(ZOOKEEPER, "curator", OPS), 10, " x");
  }

  private static Comparison handOver(String id, String title) {
    return loop(
            id,
            title,
            "Two JVMs hand one lock back and forth, each holding it for 3 ms while the other waits."
                + " Wait: from just before the release in one to the return of acquire in the"
                + " other. Executed: per hand-over, polls while waiting included.",
            2,
            1)
        .windows(3)
        .columns(WAIT_P50, WAIT_P99, EXECUTED, SAMPLES);
  }

  private static Workload postgresql(int threads) {
    return uncontended("PostgreSQL", threads, POSTGRESQL, "spring-jdbc", "shedlock", "raw-pg")
        .atLeast(
            ": rate against Spring Integration", ratio(POSTGRESQL, "spring-jdbc", OPS), 1.5, " x")
        .atLeast(": rate against ShedLock", ratio(POSTGRESQL, "shedlock", OPS), 1.5, " x")
        .atMost(": statements per pair", of(POSTGRESQL, EXECUTED), 2 + more(threads), "");
  }

  private static Workload postgresqlHot() {
    String title = "PostgreSQL, one hot lock, one process, 16 threads";
    return loop("postgresql-hot-16", title, ONE_LOCK, 1, 16)
        .rows(LockWorkloads.use(Pattern.ONE_LOCK), POSTGRESQL, "spring-jdbc")
        .columns(LOOP)
        .onChart()
        .atLeast(
            ": rate against Spring Integration", ratio(POSTGRESQL, "spring-jdbc", OPS), 20, " x");
  }

  private static Workload sqlite() {
    return loop(
            "sqlite-2",
            "SQLite, uncontended, 2 processes",
            "Two JVMs share a file; one thread of each acquires and releases its own lock. The"
                + " rate is that of both together. A turn that fails, as with SQLITE_BUSY, ends the"
                + " run, so a table without failures is one of a run without any.",
            2,
            1)
        .rows(LockWorkloads.use(Pattern.OWN_LOCK), "sluice-sqlite", "raw-sqlite")
        .floor("raw-sqlite")
        .columns(OPS, OP_P50, OP_P99, WAIT_P50, WAIT_P99, PROCESS_SHARE, FAILED, CLIENT_CPU)
        .onChart()
        .atLeast(": pairs a second on this machine", of("sluice-sqlite", OPS), 2000, "")
        .atMost(": failures", of("sluice-sqlite", FAILED), 0, "");
  }

  private static Workload each(int threads) {
    return loop(
            "each-" + threads,
            "Each engine, uncontended, " + LockWorkloads.threads(threads),
            "The same as above with Sluice on everything that it runs on.",
            1,
            threads)
        .rows(
            LockWorkloads.use(Pattern.OWN_LOCK),
            "sluice-memory",
            "sluice-redis",
            ZOOKEEPER,
            POSTGRESQL,
            "sluice-mariadb",
            "sluice-h2",
            "sluice-sqlite")
        .columns(OPS, OP_P50, OP_P99, EXECUTED, CLIENT_CPU, SERVER_CPU)
        .onChart();
  }
}
