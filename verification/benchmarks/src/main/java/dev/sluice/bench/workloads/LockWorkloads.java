package dev.sluice.bench.workloads;

import static dev.sluice.bench.chapter.Comparison.of;
import static dev.sluice.bench.chapter.Comparison.ratio;
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

import dev.sluice.bench.chapter.Comparison;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.run.LockTurns;
import dev.sluice.bench.run.LockTurns.Pattern;
import dev.sluice.bench.run.WorkOrder;
import dev.sluice.bench.systems.LockUse;
import java.util.List;

/** Locks on one Redis and on a quorum. */
public final class LockWorkloads {
  /** A counter that was 2 for each pair is not 2.00 once a rare housekeeping command joins in. */
  private static final double TWO = 2.01;

  static final Metric[] LOOP = {
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

  private static final String US = "sluice";
  private static final String PEER = "redisson";
  private static final String ALTERNATING = "sluice, bound 1";
  private static final String STICKY = "sluice, sticky";
  private static final String ROUND_TRIP = "raw-fenced round trip";
  private static final String ALIVE = "sluice, all alive";
  private static final String WITHOUT = "sluice, two stopped";
  private static final int STOPPED = 2;

  private LockWorkloads() {}

  /** {@return those on one server, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        LeaseWorkloads.memory(),
        uncontended(1, 1.3),
        uncontended(16, 2.5),
        hot(2),
        hot(16),
        hot(64),
        hotAcrossProcesses(),
        wakeUp(),
        sticky(),
        stickyTakenAway(),
        LeaseWorkloads.renewal(),
        LeaseWorkloads.held());
  }

  /** {@return those on a majority of five, in the order of the report} */
  public static List<Workload> quorum() {
    return List.of(quorum(1, 2), quorum(16, 3), minorityStopped());
  }

  static String threads(int count) {
    return count == 1 ? "1 thread" : count + " threads";
  }

  static LockTurns.Threads use(Pattern pattern) {
    return new LockTurns.Threads(pattern, LockUse.PLAIN);
  }

  private static Workload uncontended(int threads, double timesPeer) {
    return new Comparison(
            "locks",
            "uncontended-" + threads,
            "Uncontended, " + threads(threads),
            "One process; each thread acquires and releases its own lock.")
        .loop(1, WorkOrder.of("", threads))
        .rows(use(Pattern.OWN_LOCK), US, PEER, "spring", "raw", "raw-fenced")
        .floor("raw-fenced")
        .columns(LOOP)
        .onChart()
        .atLeast(": rate against the fenced floor", ratio(US, "raw-fenced", OPS), 0.9, " x")
        .atLeast(": rate against Redisson", ratio(US, PEER, OPS), timesPeer, " x")
        .atMost(": commands sent per pair", of(US, SENT), TWO, "")
        .atMost(": commands executed per pair", of(US, EXECUTED), 8.05, "");
  }

  private static Workload hot(int threads) {
    String prefix = "One hot lock, " + threads + " threads: ";
    return new Comparison(
            "locks",
            "hot-" + threads,
            "One hot lock, one process, " + threads + " threads",
            "All threads of one process want one lock; each turn adds one to a plain counter,"
                + " which is checked.")
        .loop(1, WorkOrder.of("", threads))
        .rows(use(Pattern.ONE_LOCK), US, PEER, "spring", "raw")
        .floor("raw")
        .columns(LOOP)
        .onChart()
        .atLeast(prefix + "rate against Redisson", ratio(US, PEER, OPS), 100, " x")
        .atMost(prefix + "commands sent per turn", of(US, SENT), 0.1, "")
        .atLeast(
            prefix + "slowest thread's turns against the fastest's", of(US, THREAD_SHARE), 0.7, "")
        .atMost(prefix + "p99 wait against Redisson's", ratio(US, PEER, WAIT_P99), 1, " x");
  }

  private static Workload hotAcrossProcesses() {
    String prefix = "One hot lock, 4 x 8 threads: ";
    String bound = prefix + "with hand-off bound 1, ";
    return new Comparison(
            "locks",
            "hot-4x8",
            "One hot lock, 4 processes of 8 threads",
            "The same across four JVMs; the counter is in memory that all of them map. \""
                + ALTERNATING
                + "\" gives the lock to another process after each turn, so its turns are"
                + " hand-offs between processes.")
        .loop(4, WorkOrder.of("", 8))
        .rows(use(Pattern.ONE_LOCK), US)
        .row(ALTERNATING, US, new LockTurns.Threads(Pattern.ONE_LOCK, LockUse.ALTERNATING))
        .rows(use(Pattern.ONE_LOCK), PEER, "spring", "raw")
        .floor("raw")
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
        .onChart()
        .atLeast(prefix + "rate against Redisson", ratio(US, PEER, OPS), 50, " x")
        .atMost(
            prefix + "most turns of a process against the least", of(US, PROCESS_SHARE), 2, " x")
        .atLeast(bound + "rate against Redisson", ratio(ALTERNATING, PEER, OPS), 4, " x")
        .atMost(bound + "commands sent per hand-off", of(ALTERNATING, SENT), 3, "")
        .atMost(bound + "messages per hand-off", of(ALTERNATING, PUBLISHED), 1, "");
  }

  private static Workload wakeUp() {
    return new Comparison(
            "locks",
            "wake-up",
            "Wake-up of another process",
            "Two JVMs hand one lock back and forth, each holding it for 3 ms while the other"
                + " waits. Wait: from just before the release in one to the return of acquire in"
                + " the other. The floor's row is one round trip of its acquire script after the"
                + " same rest.")
        .loop(2, WorkOrder.of("", 1))
        .rows(use(Pattern.HAND_OVER), US, PEER, "spring")
        .row(ROUND_TRIP, "raw-fenced", use(Pattern.OWN_LOCK_RESTED), 1)
        .windows(3)
        .columns(WAIT_P50, WAIT_P99, SENT, EXECUTED, PUBLISHED, SAMPLES)
        .atMost(
            "Wake-up: p50 against a round trip of the floor",
            ratio(US, ROUND_TRIP, WAIT_P50),
            2,
            " x")
        .atMost("Wake-up: p99 against Redisson's", ratio(US, PEER, WAIT_P99), 1, " x");
  }

  private static Workload sticky() {
    return new Comparison(
            "locks",
            "sticky",
            "Sticky lock, taken again by the same process",
            "One thread acquires and releases one lock. Sluice keeps the idle lock for 30 s; the"
                + " others go to the store each time. Latencies are of every 64th turn.")
        .loop(1, WorkOrder.of("", 1).sampled(64))
        .row(STICKY, US, new LockTurns.Threads(Pattern.OWN_LOCK, LockUse.STICKY))
        .rows(use(Pattern.OWN_LOCK), PEER)
        .columns(OPS, OP_P50, OP_P99, SENT, EXECUTED, CLIENT_CPU, SERVER_CPU)
        .onChart()
        .atLeast("Sticky: rate against Redisson", ratio(STICKY, PEER, OPS), 500, " x");
  }

  private static Workload stickyTakenAway() {
    return new Comparison(
            "locks",
            "sticky-other",
            "Sticky lock, taken away by another process",
            "Two JVMs take a sticky lock in turns with 4 ms of rest, so each finds it kept by the"
                + " other. Wait: how long acquire takes.")
        .loop(2, WorkOrder.of("", 1))
        .row(STICKY, US, new LockTurns.Threads(Pattern.IN_TURNS, LockUse.STICKY))
        .windows(3)
        .columns(WAIT_P50, WAIT_P99, SENT, EXECUTED, PUBLISHED, SAMPLES)
        .atMost("Sticky: a second process gets it, p99", of(STICKY, WAIT_P99), 5000, " us");
  }

  private static Workload quorum(int threads, double timesPeer) {
    String prefix = "Quorum of five, " + threads(threads) + ": ";
    return new Comparison(
            "quorum",
            "quorum-" + threads,
            "Quorum of five, all alive, " + threads(threads),
            "One process; each thread acquires and releases its own lock.")
        .loop(1, WorkOrder.of("", threads))
        .rows(use(Pattern.OWN_LOCK), US, PEER, "raw5")
        .floor("raw5")
        .columns(OPS, OP_P50, OP_P99, WAIT_P50, WAIT_P99, SENT, EXECUTED, CLIENT_CPU, SERVER_CPU)
        .onChart()
        .atLeast(prefix + "rate against the raw floor", ratio(US, "raw5", OPS), 0.8, " x")
        .atLeast(prefix + "rate against Redisson", ratio(US, PEER, OPS), timesPeer, " x")
        // one acquire and one release at each server; a second round adds three to five
        .atMost(prefix + "commands sent per pair", of(US, SENT), 10.05, "");
  }

  private static Workload minorityStopped() {
    LockTurns.Threads own = use(Pattern.OWN_LOCK);
    return new Comparison(
            "quorum",
            "minority-stopped",
            "Quorum of five, two of them stopped",
            "One thread acquires and releases its own lock, while two servers are stopped"
                + " with SIGSTOP. Wait: how long acquire takes.")
        .loop(1, WorkOrder.of("", 1))
        .row(ALIVE, US, own)
        .row(WITHOUT, US, own)
        .around(
            (bench, row) -> {
              int stopped = row.label().equals(WITHOUT) ? STOPPED : 0;
              bench.server().stop(stopped);
              return () -> bench.server().goOn(stopped);
            })
        .columns(OPS, OP_P50, OP_P99, WAIT_P50, WAIT_P99)
        .atMost(
            "Two of five stopped: p99 of acquire against all alive",
            ratio(WITHOUT, ALIVE, WAIT_P99),
            1.5,
            " x");
  }
}
