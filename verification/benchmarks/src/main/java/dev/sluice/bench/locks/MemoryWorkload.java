package dev.sluice.bench.locks;

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
import dev.sluice.bench.systems.SystemKind;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a name leaves behind on the server once it is idle, and for how long. */
final class MemoryWorkload implements Workload {
  private static final int NAMES = 50;
  private static final String US = SystemKind.SLUICE.id();

  /** When the last key of a contestant is due to be gone, by its label; nanoseconds. */
  private final Map<String, Long> goneAt = new HashMap<>();

  @Override
  public String id() {
    return "memory";
  }

  @Override
  public String title() {
    return "Memory of an idle name";
  }

  @Override
  public String meaning() {
    return "Each of "
        + NAMES
        + " names is acquired and released once. Bytes: MEMORY USAGE of all keys with that name."
        + " Afterwards: once the longest expiry has passed.";
  }

  @Override
  public List<Metric> columns() {
    return List.of(Metric.KEYS, Metric.BYTES, Metric.TTL_SECONDS, Metric.KEYS_LATER);
  }

  @Override
  public List<Contestant> contestants() {
    return List.of(
        Contestant.of(SystemKind.SLUICE),
        Contestant.of(SystemKind.REDISSON),
        Contestant.of(SystemKind.SPRING),
        Contestant.of(SystemKind.RAW_FENCED));
  }

  private static String prefix(Contestant contestant) {
    return "idle-" + contestant.label() + "-";
  }

  @Override
  public Sample measure(Bench bench, Contestant contestant, int round, Pace pace) throws Exception {
    Fleet fleet = bench.fleet(contestant.kind(), Bench.DEFAULT_TTL);
    for (int i = 0; i < NAMES; i++) {
      bench.cycles(fleet, prefix(contestant) + i, 1);
    }
    Server server = bench.server();
    List<String> keys = server.keys("*" + prefix(contestant) + "*");
    long longest = 0;
    long bytes = 0;
    boolean forever = false;
    for (String key : keys) {
      bytes += server.bytes(key);
      long left = server.ttlMillis(key);
      longest = Math.max(longest, left);
      forever |= left == -1;
    }
    if (!forever) {
      goneAt.put(contestant.label(), System.nanoTime() + longest * 1_000_000);
    }
    return new Sample()
        .put(Metric.KEYS, keys.size() / (double) NAMES)
        .put(Metric.BYTES, bytes / (double) NAMES)
        .put(Metric.TTL_SECONDS, forever ? Double.POSITIVE_INFINITY : longest / 1e3);
  }

  @Override
  public void finish(Bench bench, Results results, Pace pace) throws Exception {
    for (Contestant contestant : contestants()) {
      List<Sample> rounds = results.rounds(contestant.label());
      if (rounds.isEmpty()) {
        continue;
      }
      long left = goneAt.getOrDefault(contestant.label(), 0L) - System.nanoTime();
      if (goneAt.containsKey(contestant.label()) && left > 0) {
        if (!pace.awaitExpiry()) {
          continue;
        }
        Bench.pause(Duration.ofNanos(left));
      }
      List<String> keys = bench.server().keys("*" + prefix(contestant) + "*");
      keys.removeIf(key -> bench.server().ttlMillis(key) == -2);
      rounds.get(0).put(Metric.KEYS_LATER, keys.size() / (double) NAMES);
    }
  }

  @Override
  public List<Goal> goals(Results results) {
    return List.of(
        Goal.atMost("Idle name: bytes on the server", results.of(US, Metric.BYTES), 200, ""),
        Goal.atMost(
            "Idle name: keys after the retention", results.of(US, Metric.KEYS_LATER), 0, ""));
  }
}
