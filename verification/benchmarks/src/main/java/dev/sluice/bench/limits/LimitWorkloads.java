package dev.sluice.bench.limits;

import static dev.sluice.bench.report.Metric.ADMITTED;
import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.EXCESS;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.FAILED;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.REFUSED;
import static dev.sluice.bench.report.Metric.SCRIPTS;
import static dev.sluice.bench.report.Metric.SCRIPT_CPU;
import static dev.sluice.bench.report.Metric.SENT;
import static dev.sluice.bench.report.Metric.SERVER_CPU;
import static dev.sluice.bench.report.Metric.UNUSED;
import static dev.sluice.bench.systems.LimitKind.BUCKET4J;
import static dev.sluice.bench.systems.LimitKind.RAW;
import static dev.sluice.bench.systems.LimitKind.REDISSON;
import static dev.sluice.bench.systems.LimitKind.SLUICE;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.systems.Allowance;
import dev.sluice.bench.systems.Allowance.Shape;
import dev.sluice.bench.systems.Habit;
import java.time.Duration;
import java.util.List;

/** The workloads of the second chapter, with the goals that were set for it. */
public final class LimitWorkloads {
  private static final Metric[] COLUMNS = {
    OPS,
    OP_P50,
    OP_P99,
    SENT,
    EXECUTED,
    SCRIPTS,
    REFUSED,
    FAILED,
    CLIENT_CPU,
    SERVER_CPU,
    SCRIPT_CPU
  };

  private static final String US = SLUICE.id();
  private static final String FLOOR = RAW.id();
  private static final String LEASING = "sluice, leasing";
  private static final int MANY = 10_000;

  private LimitWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        new KeyMemoryWorkload(),
        hot(),
        manyKeys(),
        asyncHot(),
        asyncManyKeys(),
        leasing(),
        overload(
            "bucket",
            Shape.BUCKET,
            "a bucket of 2,000 that fills at 2,000 a second",
            Contestant.of(RAW)),
        overload("window", Shape.WINDOW, "2,000 in any second", Contestant.of(REDISSON)),
        crowd(),
        new ReplayWorkload());
  }

  private static Workload hot() {
    return everybody(
            "hot-16",
            "One hot key, 16 blocking callers",
            "16 threads of one process ask one limiter for one key. Every call is admitted.",
            16)
        .goals(
            results ->
                List.of(
                    floor("One hot key, 16 callers", results),
                    peer("One hot key, 16 callers: rate against Redisson", results, "redisson", 2),
                    peer(
                        "One hot key, 16 callers: rate against Bucket4j",
                        results,
                        "bucket4j",
                        10)));
  }

  private static Workload manyKeys() {
    return everybody(
            "keys-16",
            "10,000 keys, 16 blocking callers",
            "16 threads of one process ask one limiter for keys at random. Every call is admitted.",
            16)
        .keys(MANY)
        .goals(
            results ->
                List.of(
                    floor("10,000 keys, 16 callers", results),
                    peer(
                        "10,000 keys, 16 callers: rate against Bucket4j",
                        results,
                        "bucket4j",
                        1.5)));
  }

  private static Workload asyncHot() {
    return everybody(
            "async-hot",
            "One hot key, asynchronous, 256 in flight",
            "256 chains of one process, in which each answer starts the next call. Every call is"
                + " admitted.",
            256)
        .async()
        .goals(
            results ->
                List.of(
                    floor("One hot key, 256 in flight", results),
                    peer(
                        "One hot key, 256 in flight: rate against Bucket4j",
                        results,
                        "bucket4j",
                        50)));
  }

  private static Workload asyncManyKeys() {
    return everybody(
            "async-keys",
            "10,000 keys, asynchronous, 256 in flight",
            "The same with keys at random.",
            256)
        .keys(MANY)
        .async()
        .goals(results -> List.of(floor("10,000 keys, 256 in flight", results)));
  }

  private static AskWorkload everybody(String id, String title, String meaning, int callers) {
    return new AskWorkload(id, title, meaning, 1, callers)
        .with(SLUICE, REDISSON, BUCKET4J, RAW)
        .floor(FLOOR)
        .columns(COLUMNS);
  }

  private static Goal floor(String what, Results results) {
    return Goal.atLeast(
        what + ": rate against the bare script", results.ratio(US, FLOOR, OPS), 0.9, " x");
  }

  private static Goal peer(String what, Results results, String peer, double times) {
    return Goal.atLeast(what, results.ratio(US, peer, OPS), times, " x");
  }

  private static Workload leasing() {
    String prefix = "Permits taken in advance, one hot key: ";
    return new AskWorkload(
            "leasing",
            "Permits taken in advance, one hot key",
            "16 threads of one process ask one limiter for one key, and the process takes permits"
                + " in advance. Latencies are of every 64th call.",
            1,
            16)
        .with(leasingPermits())
        .with(SLUICE, RAW)
        .floor(FLOOR)
        .sampleEvery(64)
        .columns(COLUMNS)
        .goals(
            results ->
                List.of(
                    Goal.atLeast(
                        prefix + "decisions a second", results.of(LEASING, OPS), 1_000_000, ""),
                    Goal.atMost(
                        prefix + "commands sent per decision",
                        results.of(LEASING, SENT),
                        0.05,
                        "")));
  }

  private static Contestant leasingPermits() {
    return new Contestant(LEASING, SLUICE, Habit.LEASING);
  }

  private static Workload overload(String name, Shape shape, String limit, Contestant peer) {
    String prefix = "Ten times too many, " + name + ": ";
    return new AskWorkload(
            "overload-" + name,
            "Ten times too many calls for a " + name,
            "16 threads of four JVMs make 20,000 calls a second for "
                + limit
                + ". Over-admitted: calls beyond the limit in the worst span, by the times at which"
                + " each was asked and answered. Unused: share of what the limit would have let"
                + " through by then.",
            4,
            4)
        .with(leasingPermits())
        .with(SLUICE)
        .with(peer)
        .overload(new Allowance(shape, 2_000, 2_000, Duration.ofSeconds(1)), 20_000, 4)
        .columns(OPS, ADMITTED, EXCESS, UNUSED, SCRIPTS, OP_P50, OP_P99, FAILED, CLIENT_CPU)
        .goals(
            results -> {
              Goal fewer =
                  Goal.atMost(
                      prefix + "trips with permits in advance against those without",
                      results.ratio(LEASING, US, SCRIPTS),
                      0.05,
                      " x");
              Goal exact =
                  Goal.atMost(
                      prefix + "over-admitted with permits in advance",
                      results.of(LEASING, EXCESS),
                      0,
                      "");
              return shape == Shape.WINDOW
                  ? List.of(exact, fewer)
                  : List.of(
                      exact,
                      fewer,
                      Goal.atMost(
                          prefix + "unused with permits in advance",
                          results.of(LEASING, UNUSED),
                          2,
                          " %"));
            });
  }

  private static Workload crowd() {
    String prefix = "400 callers in 4 JVMs: ";
    return new AskWorkload(
            "crowd-400",
            "400 callers in 4 JVMs on one bucket",
            "100 threads of each of four JVMs ask for one key. Failures: calls that ended without"
                + " the store's word; Sluice gives up after 50 ms, its default, and the second"
                + " Bucket4j after one second.",
            4,
            100)
        .with(SLUICE, REDISSON, BUCKET4J)
        .with(new Contestant("bucket4j, 1 s", BUCKET4J, Habit.IMPATIENT))
        .with(RAW)
        .floor(FLOOR)
        .columns(COLUMNS)
        .goals(
            results ->
                List.of(
                    Goal.atMost(prefix + "failures", results.of(US, FAILED), 0, ""),
                    Goal.atMost(
                        prefix + "p99 against p50",
                        results.ratio(US, OP_P99, US, OP_P50),
                        10,
                        " x")));
  }
}
