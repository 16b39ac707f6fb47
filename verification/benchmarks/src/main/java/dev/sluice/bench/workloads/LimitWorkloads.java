package dev.sluice.bench.workloads;

import static dev.sluice.bench.chapter.Comparison.of;
import static dev.sluice.bench.chapter.Comparison.ratio;
import static dev.sluice.bench.report.Metric.ADMITTED;
import static dev.sluice.bench.report.Metric.BYTES;
import static dev.sluice.bench.report.Metric.BYTES_USED;
import static dev.sluice.bench.report.Metric.CLIENT_CPU;
import static dev.sluice.bench.report.Metric.EXCESS;
import static dev.sluice.bench.report.Metric.EXECUTED;
import static dev.sluice.bench.report.Metric.FAILED;
import static dev.sluice.bench.report.Metric.KEYS;
import static dev.sluice.bench.report.Metric.KEYS_LATER;
import static dev.sluice.bench.report.Metric.KEY_LENGTH;
import static dev.sluice.bench.report.Metric.LINES;
import static dev.sluice.bench.report.Metric.LINES_PER_CORE;
import static dev.sluice.bench.report.Metric.OPS;
import static dev.sluice.bench.report.Metric.OP_P50;
import static dev.sluice.bench.report.Metric.OP_P99;
import static dev.sluice.bench.report.Metric.REFUSED;
import static dev.sluice.bench.report.Metric.SCRIPTS;
import static dev.sluice.bench.report.Metric.SCRIPT_CPU;
import static dev.sluice.bench.report.Metric.SENT;
import static dev.sluice.bench.report.Metric.SERVER_CPU;
import static dev.sluice.bench.report.Metric.TTL_SECONDS;
import static dev.sluice.bench.report.Metric.UNUSED;

import dev.sluice.bench.chapter.Comparison;
import dev.sluice.bench.chapter.Row;
import dev.sluice.bench.chapter.RunPlan;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.report.Spread;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Callers;
import dev.sluice.bench.run.Job;
import dev.sluice.bench.run.Loop;
import dev.sluice.bench.run.Server;
import dev.sluice.bench.run.WorkOrder;
import dev.sluice.bench.run.WorkerProcesses;
import dev.sluice.bench.systems.Allowance;
import dev.sluice.bench.systems.Allowance.Extra;
import dev.sluice.bench.systems.Allowance.Shape;
import dev.sluice.bench.systems.KeyedCall;
import dev.sluice.replay.LogFormat;
import dev.sluice.replay.Replay;
import dev.sluice.replay.ReplayPolicy;
import dev.sluice.replay.SyntheticLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Rate limits on one Redis. */
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

  private static final String US = "sluice";
  private static final String FLOOR = "raw";
  private static final Function<Results, Spread> FLOORED = against(FLOOR);
  private static final String LEASING = "sluice, leasing";
  private static final int MANY = 10_000;

  private static final int MEMORY_KEYS = 3_000;
  private static final int SLOTS = 10;
  private static final String BUCKET = "sluice, gcra";
  private static final String WINDOW = "sluice, 10 slots";

  private static final long REPLAY_BYTES = 128L << 20;
  private static final int LINES_PER_SECOND = 1_000;
  private static final int ADDRESSES = 100_000;
  private static final String ONE = "sluice, token bucket";
  private static final Map<String, List<String>> POLICIES = new LinkedHashMap<>();

  static {
    POLICIES.put(ONE, List.of("token-bucket 10/s burst 20"));
    POLICIES.put("sluice, sliding window", List.of("sliding-window 100/1m"));
    POLICIES.put(
        "sluice, both together", List.of("token-bucket 10/s burst 20", "sliding-window 100/1m"));
  }

  private LimitWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        memory(),
        everybody(
                "hot-16",
                "One hot key, 16 blocking callers",
                "16 threads of one process ask one limiter for one key. Every call is admitted.",
                WorkOrder.of("", 16),
                1)
            .atLeast("One hot key, 16 callers: rate against the bare script", FLOORED, 0.9, " x")
            .atLeast("One hot key, 16 callers: rate against Redisson", against("redisson"), 2, " x")
            .atLeast(
                "One hot key, 16 callers: rate against Bucket4j", against("bucket4j"), 10, " x"),
        everybody(
                "keys-16",
                "10,000 keys, 16 blocking callers",
                "16 threads of one process ask one limiter for keys at random. Every call is"
                    + " admitted.",
                WorkOrder.of("", 16),
                MANY)
            .atLeast("10,000 keys, 16 callers: rate against the bare script", FLOORED, 0.9, " x")
            .atLeast(
                "10,000 keys, 16 callers: rate against Bucket4j", against("bucket4j"), 1.5, " x"),
        everybody(
                "async-hot",
                "One hot key, asynchronous, 256 in flight",
                "256 chains of one process, in which each answer starts the next call. Every call is"
                    + " admitted.",
                WorkOrder.of("", 256).asynchronous(),
                1)
            .atLeast("One hot key, 256 in flight: rate against the bare script", FLOORED, 0.9, " x")
            .atLeast(
                "One hot key, 256 in flight: rate against Bucket4j", against("bucket4j"), 50, " x"),
        everybody(
                "async-keys",
                "10,000 keys, asynchronous, 256 in flight",
                "The same with keys at random.",
                WorkOrder.of("", 256).asynchronous(),
                MANY)
            .atLeast(
                "10,000 keys, 256 in flight: rate against the bare script", FLOORED, 0.9, " x"),
        leasing(),
        overload(Shape.BUCKET, "a bucket of 2,000 that fills at 2,000 a second", FLOOR)
            .atMost(
                "Ten times too many, bucket: unused with permits in advance",
                of(LEASING, UNUSED),
                2,
                " %"),
        overload(Shape.WINDOW, "2,000 in any second", "redisson"),
        crowd(),
        replay());
  }

  private static Function<Results, Spread> against(String other) {
    return ratio(US, other, OPS);
  }

  /** Keys of 18 characters, as those of users may be. */
  static List<String> keys(int from, int count) {
    return IntStream.range(from, from + count)
        .mapToObj(i -> "user/" + String.valueOf(10_000_000_000_000L + i).substring(1))
        .toList();
  }

  private static Job.Preparation limiterJob(Allowance allowance, int count) {
    return (worker, order) -> {
      List<String> keys = keys(0, count);
      return Callers.calls(order, worker.library().limit(order.name(), keys, allowance), keys);
    };
  }

  private static Comparison loop(
      String id, String title, String meaning, int count, WorkOrder order) {
    return new Comparison("limits", id, title, meaning)
        .loop(count, order)
        .reads(
            (bench, done) -> {
              bench.server().empty();
              return done.sample();
            });
  }

  private static Comparison everybody(
      String id, String title, String meaning, WorkOrder order, int keys) {
    return loop(id, title, meaning, 1, order)
        .rows(limiterJob(Allowance.ample(), keys), US, "redisson", "bucket4j", FLOOR)
        .floor(FLOOR)
        .columns(COLUMNS)
        .onChart();
  }

  private static Workload leasing() {
    Allowance ample = Allowance.ample();
    return loop(
            "leasing",
            "Permits taken in advance, one hot key",
            "16 threads of one process ask one limiter for one key, and the process takes permits"
                + " in advance. Latencies are of every 64th call.",
            1,
            WorkOrder.of("", 16).sampled(64))
        .row(LEASING, US, limiterJob(ample.with(Extra.LEASING), 1))
        .rows(limiterJob(ample, 1), US, FLOOR)
        .floor(FLOOR)
        .columns(COLUMNS)
        .onChart()
        .atLeast(": decisions a second", of(LEASING, OPS), 1_000_000, "")
        .atMost(": commands sent per decision", of(LEASING, SENT), 0.05, "");
  }

  private static Comparison overload(Shape shape, String limit, String peer) {
    String name = shape.name().toLowerCase(Locale.ROOT);
    String prefix = "Ten times too many, " + name + ": ";
    Allowance allowed = new Allowance(shape, 2_000, 2_000, Duration.ofSeconds(1));
    return loop(
            "overload-" + name,
            "Ten times too many calls for a " + name,
            "16 threads of four JVMs make 20,000 calls a second for "
                + limit
                + ". Over-admitted: calls beyond the limit in the worst span, by the times at which"
                + " each was asked and answered. Unused: share of what the limit would have let"
                + " through by then.",
            4,
            WorkOrder.of("", 4).every(Duration.ofSeconds(1).multipliedBy(4 * 4).dividedBy(20_000)))
        .row(LEASING, US, limiterJob(allowed.with(Extra.LEASING), 1))
        .rows(limiterJob(allowed, 1), US, peer)
        .windows(4)
        .reads(
            (bench, done) -> {
              bench.server().empty();
              return AdmissionCheck.add(done.sample(), allowed, done.outcomes());
            })
        .columns(OPS, ADMITTED, EXCESS, UNUSED, SCRIPTS, OP_P50, OP_P99, FAILED, CLIENT_CPU)
        .atMost(prefix + "over-admitted with permits in advance", of(LEASING, EXCESS), 0, "")
        .atMost(
            prefix + "trips with permits in advance against those without",
            ratio(LEASING, US, SCRIPTS),
            0.05,
            " x");
  }

  private static Workload crowd() {
    String prefix = "400 callers in 4 JVMs: ";
    Allowance ample = Allowance.ample();
    return loop(
            "crowd-400",
            "400 callers in 4 JVMs on one bucket",
            "100 threads of each of four JVMs ask for one key. Failures: calls that ended without"
                + " the store's word; Sluice gives up after 50 ms, its default, and the second"
                + " Bucket4j after one second.",
            4,
            WorkOrder.of("", 100))
        .rows(limiterJob(ample, 1), US, "redisson", "bucket4j")
        .row("bucket4j, 1 s", "bucket4j", limiterJob(ample.with(Extra.IMPATIENT), 1))
        .rows(limiterJob(ample, 1), FLOOR)
        .floor(FLOOR)
        .columns(COLUMNS)
        .onChart()
        .atMost(prefix + "failures", of(US, FAILED), 0, "")
        .atMost(
            prefix + "p99 against p50", results -> results.ratio(US, OP_P99, US, OP_P50), 10, " x");
  }

  // ---- what is not a loop ----

  private static Workload memory() {
    return new Comparison(
            "limits",
            "memory",
            "Memory of a key",
            "Each of 3,000 keys of 18 characters is asked for once, and once in each of the ten"
                + " slots of a sliding window. Bytes: MEMORY USAGE of all keys of the server, and"
                + " the growth of its used_memory, clients apart. Afterwards: once the longest"
                + " expiry has passed.")
        .row(BUCKET, US, null)
        .row(WINDOW, US, null)
        .rows("redisson", "bucket4j", FLOOR)
        .oneRound()
        .measures(LimitWorkloads::memory)
        .columns(KEYS, KEY_LENGTH, BYTES, BYTES_USED, TTL_SECONDS, KEYS_LATER)
        .atMost("Memory of a key, gcra", of(BUCKET, BYTES_USED), 140, " B")
        .atMost("Memory of a key, 10 slots", of(WINDOW, BYTES_USED), 260, " B")
        .atMost("Memory of a key, gcra: keys once full again", of(BUCKET, KEYS_LATER), 0, "")
        .atMost("Memory of a key, 10 slots: keys once full again", of(WINDOW, KEYS_LATER), 0, "");
  }

  private static Sample memory(Bench bench, Row row, String round, RunPlan plan) throws Exception {
    WorkerProcesses fleet = bench.fleet(row.candidate());
    boolean window = row.label().equals(WINDOW);
    // one permit comes back in eight seconds
    Allowance allowance =
        new Allowance(
            window ? Shape.WINDOW : Shape.BUCKET, 100, 100, Duration.ofSeconds(window ? 8 : 800));
    // short, so that what is measured is a key of 18 characters
    String limiter = window ? "m1" : "m0";
    spend(fleet, "warm-up-" + limiter, Allowance.ample(), 1);
    Server server = bench.server();
    server.empty();
    long used = server.usedBytes();
    for (int slot = 0; slot < (window ? SLOTS : 1); slot++) {
      if (slot > 0) {
        Bench.pause(allowance.period().dividedBy(SLOTS));
      }
      spend(fleet, limiter, allowance, MEMORY_KEYS);
    }
    used = server.usedBytes() - used;
    KeysLeft left = KeysLeft.of(server, "*", MEMORY_KEYS);
    Sample sample = left.sample().put(BYTES_USED, used / (double) MEMORY_KEYS);
    if (left.forever() || plan.awaitExpiry()) {
      Bench.pause(left.forever() ? Duration.ZERO : Duration.ofMillis(left.longestMillis()));
      sample.put(KEYS_LATER, KeysLeft.later(server, "*", MEMORY_KEYS));
    }
    server.empty();
    return sample;
  }

  /** Asks a limiter once for each of so many keys. */
  private static void spend(WorkerProcesses fleet, String limiter, Allowance allowance, int count)
      throws InterruptedException {
    fleet.run(
        worker -> {
          List<String> keys = keys(0, count);
          KeyedCall call = worker.library().limit(limiter, keys, allowance);
          for (String key : keys) {
            if (!call.call(key)) {
              throw new IllegalStateException("the first call for " + key + " was refused");
            }
          }
        });
  }

  private static Workload replay() {
    Comparison replay =
        new Comparison(
            "limits",
            "replay",
            "Replay of an access log",
            "One process replays a made-up log in Common Log Format with 100,000 addresses, which it"
                + " makes up while it reads. Per core: by the CPU time of the process.");
    POLICIES.keySet().forEach(label -> replay.row(label, US, null));
    return replay
        .measures(LimitWorkloads::replay)
        .columns(LINES, LINES_PER_CORE)
        .atLeast(
            "Replay, one policy: lines per second and core",
            of(ONE, LINES_PER_CORE),
            1_000_000,
            "");
  }

  /** As many lines as take about a window at the rate that is the goal. */
  private static Sample replay(Bench bench, Row row, String round, RunPlan plan) throws Exception {
    long lines = plan.window().toMillis() * 1_000;
    ArrayList<String> policies = new ArrayList<>(POLICIES.getOrDefault(row.label(), List.of()));
    long[] nanos =
        bench
            .fleet(row.candidate())
            .ask(
                worker -> {
                  Replay replay =
                      new Replay(
                          policies.stream().map(ReplayPolicy::parse).toList(),
                          LogFormat.common("ip"),
                          Optional.empty(),
                          REPLAY_BYTES);
                  long cpu = Loop.cpuNanos();
                  long began = System.nanoTime();
                  replay.read(new SyntheticLog(lines, LINES_PER_SECOND, ADDRESSES, 1));
                  long took = System.nanoTime() - began;
                  if (replay.lines() != lines) {
                    throw new IllegalStateException(
                        replay.lines() + " lines of " + lines + " were read");
                  }
                  return new long[] {took, Loop.cpuNanos() - cpu};
                });
    return new Sample()
        .put(LINES, lines * 1e9 / nanos[0])
        .put(LINES_PER_CORE, lines * 1e9 / nanos[1]);
  }
}
