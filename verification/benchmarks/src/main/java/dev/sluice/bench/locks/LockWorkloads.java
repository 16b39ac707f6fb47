package dev.sluice.bench.locks;

import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.PROCESS_SHARE;
import static dev.sluice.bench.report.Metric.PUBLISHED;
import static dev.sluice.bench.report.Metric.SAMPLES;
import static dev.sluice.bench.report.Metric.SENT;
import static dev.sluice.bench.report.Metric.SERVER_CPU;
import static dev.sluice.bench.report.Metric.THREAD_SHARE;
import static dev.sluice.bench.report.Metric.WAIT_P50;
import static dev.sluice.bench.report.Metric.WAIT_P99;
import static dev.sluice.bench.systems.SystemKind.RAW;
import static dev.sluice.bench.systems.SystemKind.RAW_FENCED;
import static dev.sluice.bench.systems.SystemKind.REDISSON;
import static dev.sluice.bench.systems.SystemKind.SLUICE;
import static dev.sluice.bench.systems.SystemKind.SPRING;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.run.Pattern;
import dev.sluice.bench.systems.Habit;
import java.util.List;

/** The workloads of the first chapter, with the goals that were set for it. */
public final class LockWorkloads {
  /** A counter that was 2 for each pair is not 2.00 once a rare housekeeping command joins in. */
  private static final double TWO = 2.01;

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
  private static final String FLOOR = RAW_FENCED.id();
  private static final String ALTERNATING = "sluice, bound 1";
  private static final String STICKY = "sluice, sticky";
  private static final String ROUND_TRIP = "raw-fenced round trip";

  private LockWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        new MemoryWorkload(),
        uncontended(1, 1.3),
        uncontended(16, 2.5),
        hot(2),
        hot(16),
        hot(64),
        hotAcrossProcesses(),
        wakeUp(),
        sticky(),
        stickyTakenAway(),
        new RenewalWorkload(),
        new HeldWorkload());
  }

  private static Workload uncontended(int threads, double timesPeer) {
    String threadsText = threads == 1 ? "1 thread" : threads + " threads";
    String prefix = "Uncontended, " + threadsText + ": ";
    return new LoopWorkload(
            "uncontended-" + threads,
            "Uncontended, " + threadsText,
            "One process; each thread acquires and releases a lock of its own.",
            Pattern.OWN_LOCK,
            1,
            threads)
        .with(Contestant.of(SLUICE))
        .with(Contestant.of(REDISSON))
        .with(Contestant.of(SPRING))
        .with(Contestant.of(RAW))
        .with(Contestant.of(RAW_FENCED))
        .floor(FLOOR)
        .columns(LOOP)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        prefix + "rate against the fenced floor",
                        results.ratio(US, FLOOR, OPS),
                        0.9,
                        " x"),
                    Goal.atLeast(
                        prefix + "rate against Redisson",
                        results.ratio(US, PEER, OPS),
                        timesPeer,
                        " x"),
                    Goal.atMost(prefix + "commands sent per pair", results.of(US, SENT), TWO, ""),
                    Goal.atMost(
                        prefix + "commands executed per pair",
                        results.of(US, EXECUTED),
                        8.05,
                        "")));
  }

  private static Workload hot(int threads) {
    String prefix = "One hot lock, " + threads + " threads: ";
    return new LoopWorkload(
            "hot-" + threads,
            "One hot lock, one process, " + threads + " threads",
            "All threads of one process want one lock; each turn adds one to a plain counter,"
                + " which is checked.",
            Pattern.ONE_LOCK,
            1,
            threads)
        .with(Contestant.of(SLUICE))
        .with(Contestant.of(REDISSON))
        .with(Contestant.of(SPRING))
        .with(Contestant.of(RAW))
        .floor(RAW.id())
        .columns(LOOP)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        prefix + "rate against Redisson", results.ratio(US, PEER, OPS), 100, " x"),
                    Goal.atMost(prefix + "commands sent per turn", results.of(US, SENT), 0.1, ""),
                    Goal.atLeast(
                        prefix + "slowest thread's turns against the fastest's",
                        results.of(US, THREAD_SHARE),
                        0.7,
                        ""),
                    Goal.atMost(
                        prefix + "p99 wait against Redisson's",
                        results.ratio(US, PEER, WAIT_P99),
                        1,
                        " x")));
  }

  private static Workload hotAcrossProcesses() {
    String prefix = "One hot lock, 4 x 8 threads: ";
    return new LoopWorkload(
            "hot-4x8",
            "One hot lock, 4 processes of 8 threads",
            "The same across four JVMs; the counter is in memory that all of them map. \""
                + ALTERNATING
                + "\" gives the lock to another process after each turn, so its turns are"
                + " hand-offs between processes.",
            Pattern.ONE_LOCK,
            4,
            8)
        .with(Contestant.of(SLUICE))
        .with(new Contestant(ALTERNATING, SLUICE, Habit.ALTERNATING))
        .with(Contestant.of(REDISSON))
        .with(Contestant.of(SPRING))
        .with(Contestant.of(RAW))
        .floor(RAW.id())
        .columns(
            OPS,
            OP_P50,
            OP_P99,
            WAIT_P50,
            WAIT_P99,
            SENT,
            EXECUTED,
            PUBLISHED,
            THREAD_SHARE,
            PROCESS_SHARE,
            CLIENT_CPU,
            SERVER_CPU)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        prefix + "rate against Redisson", results.ratio(US, PEER, OPS), 50, " x"),
                    Goal.atMost(
                        prefix + "most turns of a process against the least",
                        results.of(US, PROCESS_SHARE),
                        2,
                        " x"),
                    Goal.atLeast(
                        prefix + "with hand-off bound 1, rate against Redisson",
                        results.ratio(ALTERNATING, PEER, OPS),
                        4,
                        " x"),
                    Goal.atMost(
                        prefix + "with hand-off bound 1, commands sent per hand-off",
                        results.of(ALTERNATING, SENT),
                        3,
                        ""),
                    Goal.atMost(
                        prefix + "with hand-off bound 1, messages per hand-off",
                        results.of(ALTERNATING, PUBLISHED),
                        1,
                        "")));
  }

  private static Workload wakeUp() {
    return new LoopWorkload(
            "wake-up",
            "Wake-up of another process",
            "Two JVMs hand one lock back and forth, each holding it for 3 ms while the other"
                + " waits. Wait: from just before the release in one to the return of acquire in"
                + " the other. The floor's row is one round trip of its acquire script after the"
                + " same rest.",
            Pattern.HAND_OVER,
            2,
            1)
        .with(Contestant.of(SLUICE))
        .with(Contestant.of(REDISSON))
        .with(Contestant.of(SPRING))
        .with(new Contestant(ROUND_TRIP, RAW_FENCED, Habit.PLAIN), Pattern.OWN_LOCK_RESTED)
        .windows(3)
        .columns(WAIT_P50, WAIT_P99, SENT, EXECUTED, PUBLISHED, SAMPLES)
        .notCharted()
        .goals(
            results ->
                List.of(
                    Goal.atMost(
                        "Wake-up: p50 against a round trip of the floor",
                        results.ratio(US, ROUND_TRIP, WAIT_P50),
                        2,
                        " x"),
                    Goal.atMost(
                        "Wake-up: p99 against Redisson's",
                        results.ratio(US, PEER, WAIT_P99),
                        1,
                        " x")));
  }

  private static Workload sticky() {
    return new LoopWorkload(
            "sticky",
            "Sticky lock, taken again by the same process",
            "One thread acquires and releases one lock. Sluice keeps the idle lock for 30 s; the"
                + " others go to the store each time. Latencies are of every 64th turn.",
            Pattern.OWN_LOCK,
            1,
            1)
        .with(new Contestant(STICKY, SLUICE, Habit.STICKY))
        .with(Contestant.of(REDISSON))
        .sampleEvery(64)
        .columns(OPS, OP_P50, OP_P99, SENT, EXECUTED, CLIENT_CPU, SERVER_CPU)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        "Sticky: rate against Redisson",
                        results.ratio(STICKY, PEER, OPS),
                        500,
                        " x")));
  }

  private static Workload stickyTakenAway() {
    return new LoopWorkload(
            "sticky-other",
            "Sticky lock, taken away by another process",
            "Two JVMs take a sticky lock in turns with 4 ms of rest, so each finds it kept by the"
                + " other. Wait: how long acquire takes.",
            Pattern.IN_TURNS,
            2,
            1)
        .with(new Contestant(STICKY, SLUICE, Habit.STICKY))
        .windows(3)
        .columns(WAIT_P50, WAIT_P99, SENT, EXECUTED, PUBLISHED, SAMPLES)
        .notCharted()
        .goals(
            results ->
                List.of(
                    Goal.atMost(
                        "Sticky: a second process gets it, p99",
                        results.of(STICKY, WAIT_P99),
                        5000,
                        " us")));
  }
}
