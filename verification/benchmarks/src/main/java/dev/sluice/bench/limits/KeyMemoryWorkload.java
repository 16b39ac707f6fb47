package dev.sluice.bench.limits;

import dev.sluice.bench.chapter.Contestant;
import dev.sluice.bench.chapter.Pace;
import dev.sluice.bench.chapter.Workload;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Metric;
import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.run.Fleet;
import dev.sluice.bench.run.Server;
import dev.sluice.bench.systems.Allowance;
import dev.sluice.bench.systems.Allowance.Shape;
import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.LimitKind;
import java.time.Duration;
import java.util.List;

/** What a key of a limiter takes on the server, and whether it goes once it is full again. */
final class KeyMemoryWorkload implements Workload {
  private static final int KEYS = 3_000;
  private static final int SLOTS = 10;
  private static final String BUCKET = "sluice, gcra";
  private static final String WINDOW = "sluice, 10 slots";

  /** One permit comes back in eight seconds. */
  private static final Allowance SLOW_BUCKET =
      new Allowance(Shape.BUCKET, 100, 100, Duration.ofSeconds(800));

  private static final Allowance SHORT_WINDOW =
      new Allowance(Shape.WINDOW, 100, 100, Duration.ofSeconds(8));

  @Override
  public String id() {
    return "memory";
  }

  @Override
  public String title() {
    return "Memory of a key";
  }

  @Override
  public String meaning() {
    return "Each of 3,000 keys of 18 characters is asked for once, and once in each of the ten"
        + " slots of a sliding window. Bytes: MEMORY USAGE of all keys of the server, and the"
        + " growth of its used_memory, clients apart. Afterwards: once the longest expiry has passed.";
  }

  @Override
  public List<Metric> columns() {
    return List.of(
        Metric.KEYS,
        Metric.KEY_LENGTH,
        Metric.BYTES,
        Metric.BYTES_USED,
        Metric.TTL_SECONDS,
        Metric.KEYS_LATER);
  }

  @Override
  public List<Contestant> contestants() {
    return List.of(
        new Contestant(BUCKET, LimitKind.SLUICE, Habit.PLAIN),
        new Contestant(WINDOW, LimitKind.SLUICE, Habit.PLAIN),
        Contestant.of(LimitKind.REDISSON),
        Contestant.of(LimitKind.BUCKET4J),
        Contestant.of(LimitKind.RAW));
  }

  /** Short names, so that what is measured is a key of 18 characters. */
  private String limiter(Contestant contestant) {
    return "m" + contestants().indexOf(contestant);
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    Fleet fleet = bench.fleet(contestant.kind(), Bench.DEFAULT_TTL);
    boolean window = contestant.label().equals(WINDOW);
    Allowance allowance = window ? SHORT_WINDOW : SLOW_BUCKET;
    bench.spend(fleet, "warm-up-" + limiter(contestant), Allowance.ample(), Habit.PLAIN, 1);
    Server server = bench.server();
    server.empty();
    long used = server.usedBytes();
    String limiter = limiter(contestant);
    for (int slot = 0; slot < (window ? SLOTS : 1); slot++) {
      if (slot > 0) {
        Bench.pause(allowance.period().dividedBy(SLOTS));
      }
      bench.spend(fleet, limiter, allowance, Habit.PLAIN, KEYS);
    }
    used = server.usedBytes() - used;
    List<String> keys = server.keys("*");
    long longest = 0;
    long bytes = 0;
    long length = 0;
    boolean forever = false;
    for (String key : keys) {
      bytes += server.bytes(key);
      length += key.length();
      long left = server.ttlMillis(key);
      longest = Math.max(longest, left);
      forever |= left == -1;
    }
    Sample sample =
        new Sample()
            .put(Metric.KEYS, keys.size() / (double) KEYS)
            .put(Metric.KEY_LENGTH, length / (double) Math.max(1, keys.size()))
            .put(Metric.BYTES, bytes / (double) KEYS)
            .put(Metric.BYTES_USED, used / (double) KEYS)
            .put(Metric.TTL_SECONDS, forever ? Double.POSITIVE_INFINITY : longest / 1e3);
    if (forever || pace.awaitExpiry()) {
      Bench.pause(forever ? Duration.ZERO : Duration.ofMillis(longest));
      List<String> later = server.keys("*");
      later.removeIf(key -> server.ttlMillis(key) == -2);
      sample.put(Metric.KEYS_LATER, later.size() / (double) KEYS);
    }
    server.empty();
    return sample;
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of(
        Goal.atMost("Memory of a key, gcra", results.of(BUCKET, Metric.BYTES_USED), 140, " B"),
        Goal.atMost("Memory of a key, 10 slots", results.of(WINDOW, Metric.BYTES_USED), 260, " B"),
        Goal.atMost(
            "Memory of a key, gcra: keys once full again",
            results.of(BUCKET, Metric.KEYS_LATER),
            0,
            ""),
        Goal.atMost(
            "Memory of a key, 10 slots: keys once full again",
            results.of(WINDOW, Metric.KEYS_LATER),
            0,
            ""));
  }
}
