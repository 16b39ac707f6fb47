package dev.sluice.bench.locks;

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
import static dev.sluice.bench.systems.EngineKind.CURATOR;
import static dev.sluice.bench.systems.EngineKind.RAW_POSTGRESQL;
import static dev.sluice.bench.systems.EngineKind.RAW_SQLITE;
import static dev.sluice.bench.systems.EngineKind.RAW_ZOOKEEPER;
import static dev.sluice.bench.systems.EngineKind.SHEDLOCK;
import static dev.sluice.bench.systems.EngineKind.SLUICE_H2;
import static dev.sluice.bench.systems.EngineKind.SLUICE_MARIADB;
import static dev.sluice.bench.systems.EngineKind.SLUICE_MEMORY;
import static dev.sluice.bench.systems.EngineKind.SLUICE_POSTGRESQL;
import static dev.sluice.bench.systems.EngineKind.SLUICE_REDIS;
import static dev.sluice.bench.systems.EngineKind.SLUICE_SQLITE;
import static dev.sluice.bench.systems.EngineKind.SLUICE_ZOOKEEPER;
import static dev.sluice.bench.systems.EngineKind.SPRING_JDBC;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Spread;
import dev.sluice.bench.run.Pattern;
import dev.sluice.bench.systems.EngineKind;
import dev.sluice.bench.systems.Habit;
import java.util.List;

/** Locks on ZooKeeper and on databases, with the goals that were set for them. */
public final class EngineWorkloads {
  private static final Metric[] LOOP = {
    OPS, OP_P50, OP_P99, WAIT_P50, WAIT_P99, EXECUTED, THREAD_SHARE, CLIENT_CPU, SERVER_CPU
  };

  private static final Metric[] HAND_OVER = {WAIT_P50, WAIT_P99, EXECUTED, SAMPLES};

  private static final String ZOOKEEPER = SLUICE_ZOOKEEPER.id();
  private static final String POSTGRESQL = SLUICE_POSTGRESQL.id();
  private static final String SQLITE = SLUICE_SQLITE.id();
  private static final String ALTERNATING = ZOOKEEPER + ", bound 1";

  private EngineWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        zookeeper(1),
        zookeeper(16),
        zookeeperHot(),
        zookeeperAcrossProcesses(),
        zookeeperHandOver(),
        postgresql(1),
        postgresql(16),
        postgresqlHot(),
        databaseHandOver(),
        sqlite(),
        each(1),
        each(16));
  }

  /**
   * So many requests for each pair, at most. The turns at both ends of the window, the questions of
   * the harness and pings are counted too, which is more where more threads are under way.
   */
  private static Goal counted(String text, Spread executed, int most, int threads) {
    return Goal.atMost(text, executed, most + (threads == 1 ? 0.03 : 0.1), "");
  }

  private static String threads(int count) {
    return count == 1 ? "1 thread" : count + " threads";
  }

  private static LoopWorkload uncontended(
      String id, String title, int threads, EngineKind floor, EngineKind... others) {
    LoopWorkload workload =
        new LoopWorkload(
                id,
                title,
                "One process; each thread acquires and releases a lock of its own.",
                Pattern.OWN_LOCK,
                1,
                threads)
            .columns(LOOP);
    for (EngineKind kind : others) {
      workload.with(Contestant.of(kind));
    }
    return workload.with(Contestant.of(floor)).floor(floor.id());
  }

  private static Workload zookeeper(int threads) {
    String title = "ZooKeeper, uncontended, " + threads(threads);
    return uncontended(
            "zookeeper-" + threads, title, threads, RAW_ZOOKEEPER, SLUICE_ZOOKEEPER, CURATOR)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": rate against Curator",
                        results.ratio(ZOOKEEPER, CURATOR.id(), OPS),
                        1,
                        " x"),
                    counted(
                        title + ": requests per pair",
                        results.of(ZOOKEEPER, EXECUTED),
                        3,
                        threads)));
  }

  private static Workload zookeeperHot() {
    String title = "ZooKeeper, one hot lock, one process, 16 threads";
    return new LoopWorkload(
            "zookeeper-hot-16",
            title,
            "All threads of one process want one lock; each turn adds one to a plain counter,"
                + " which is checked.",
            Pattern.ONE_LOCK,
            1,
            16)
        .with(Contestant.of(SLUICE_ZOOKEEPER))
        .with(Contestant.of(CURATOR))
        .columns(LOOP)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": rate against Curator",
                        results.ratio(ZOOKEEPER, CURATOR.id(), OPS),
                        10,
                        " x")));
  }

  private static Workload zookeeperAcrossProcesses() {
    String title = "ZooKeeper, one hot lock, 4 processes of 8 threads";
    return new LoopWorkload(
            "zookeeper-hot-4x8",
            title,
            "The same across four JVMs; the counter is in memory that all of them map. \""
                + ALTERNATING
                + "\" gives the lock to another process after each turn.",
            Pattern.ONE_LOCK,
            4,
            8)
        .with(Contestant.of(SLUICE_ZOOKEEPER))
        .with(new Contestant(ALTERNATING, SLUICE_ZOOKEEPER, Habit.ALTERNATING))
        .with(Contestant.of(CURATOR))
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
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": rate against Curator",
                        results.ratio(ZOOKEEPER, CURATOR.id(), OPS),
                        10,
                        " x")));
  }

  private static LoopWorkload handOver(String id, String title) {
    return new LoopWorkload(
            id,
            title,
            "Two JVMs hand one lock back and forth, each holding it for 3 ms while the other waits."
                + " Wait: from just before the release in one to the return of acquire in the"
                + " other. Executed: per hand-over, polls while waiting included.",
            Pattern.HAND_OVER,
            2,
            1)
        .windows(3)
        .columns(HAND_OVER)
        .notCharted();
  }

  private static Workload zookeeperHandOver() {
    return handOver("zookeeper-hand-over", "ZooKeeper, hand-over to another process")
        .with(Contestant.of(SLUICE_ZOOKEEPER))
        .with(Contestant.of(CURATOR));
  }

  private static Workload postgresql(int threads) {
    String title = "PostgreSQL, uncontended, " + threads(threads);
    return uncontended(
            "postgresql-" + threads,
            title,
            threads,
            RAW_POSTGRESQL,
            SLUICE_POSTGRESQL,
            SPRING_JDBC,
            SHEDLOCK)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": rate against Spring Integration",
                        results.ratio(POSTGRESQL, SPRING_JDBC.id(), OPS),
                        1.5,
                        " x"),
                    Goal.atLeast(
                        title + ": rate against ShedLock",
                        results.ratio(POSTGRESQL, SHEDLOCK.id(), OPS),
                        1.5,
                        " x"),
                    counted(
                        title + ": statements per pair",
                        results.of(POSTGRESQL, EXECUTED),
                        2,
                        threads)));
  }

  private static Workload postgresqlHot() {
    String title = "PostgreSQL, one hot lock, one process, 16 threads";
    return new LoopWorkload(
            "postgresql-hot-16",
            title,
            "All threads of one process want one lock; each turn adds one to a plain counter,"
                + " which is checked.",
            Pattern.ONE_LOCK,
            1,
            16)
        .with(Contestant.of(SLUICE_POSTGRESQL))
        .with(Contestant.of(SPRING_JDBC))
        .columns(LOOP)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": rate against Spring Integration",
                        results.ratio(POSTGRESQL, SPRING_JDBC.id(), OPS),
                        20,
                        " x")));
  }

  private static Workload databaseHandOver() {
    return handOver("database-hand-over", "Databases, hand-over to another process")
        .with(Contestant.of(SLUICE_POSTGRESQL))
        .with(Contestant.of(SPRING_JDBC))
        .with(Contestant.of(SLUICE_MARIADB))
        .with(Contestant.of(SLUICE_SQLITE))
        .goals(
            results ->
                List.of(
                    Goal.atMost(
                        "PostgreSQL, hand-over to another process: p50",
                        results.of(POSTGRESQL, WAIT_P50),
                        10_000,
                        " us")));
  }

  private static Workload sqlite() {
    String title = "SQLite, uncontended, 2 processes";
    return new LoopWorkload(
            "sqlite-2",
            title,
            "Two JVMs share a file; one thread of each acquires and releases a lock of its own. The"
                + " rate is that of both together. A turn that fails, as with SQLITE_BUSY, ends the"
                + " run, so a table without failures is one of a run without any.",
            Pattern.OWN_LOCK,
            2,
            1)
        .with(Contestant.of(SLUICE_SQLITE))
        .with(Contestant.of(RAW_SQLITE))
        .floor(RAW_SQLITE.id())
        .columns(OPS, OP_P50, OP_P99, WAIT_P50, WAIT_P99, PROCESS_SHARE, FAILED, CLIENT_CPU)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        title + ": pairs a second on this machine",
                        results.of(SQLITE, OPS),
                        2000,
                        ""),
                    Goal.atMost(title + ": failures", results.of(SQLITE, FAILED), 0, "")));
  }

  private static Workload each(int threads) {
    LoopWorkload workload =
        new LoopWorkload(
            "each-" + threads,
            "Each engine, uncontended, " + threads(threads),
            "The same as above with Sluice on everything that it runs on.",
            Pattern.OWN_LOCK,
            1,
            threads);
    for (EngineKind kind :
        List.of(
            SLUICE_MEMORY,
            SLUICE_REDIS,
            SLUICE_ZOOKEEPER,
            SLUICE_POSTGRESQL,
            SLUICE_MARIADB,
            SLUICE_H2,
            SLUICE_SQLITE)) {
      workload.with(Contestant.of(kind));
    }
    return workload.columns(OPS, OP_P50, OP_P99, EXECUTED, CLIENT_CPU, SERVER_CPU);
  }
}
