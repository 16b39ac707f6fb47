package dev.sluice.bench.soak;

import com.sun.management.UnixOperatingSystemMXBean;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.sync.RedisCommands;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Measures everything that must not grow without bound. Not safe for use by several threads. */
final class ProcessSampler {
  /*
   * Each bound is what may be under way at the moment of a measurement, and a share for what
   * follows the speed of the machine: a visitor's threads and connections, a tooth of the heap
   * that the last collection left, tombstones, which live for a minute and so are as many as the
   * calls of the last minute left.
   */
  private static final Growth.Bound HEAP = new Growth.Bound(4e6, 0.10);
  private static final Growth.Bound THREADS = new Growth.Bound(4, 0);
  private static final Growth.Bound DESCRIPTORS = new Growth.Bound(6, 0);
  private static final Growth.Bound CONNECTIONS = new Growth.Bound(2, 0);
  private static final Growth.Bound SERVER_MEMORY = new Growth.Bound(1e6, 0.10);
  private static final Growth.Bound KEYS = new Growth.Bound(50, 0.10);

  private static final Pattern SUBSCRIBED = Pattern.compile("\\b[ps]?sub=(\\d+)");
  private static final String KEYS_OF = "server keys, ";
  private static final String TOTAL = KEYS_OF + "all";

  private final RedisCommands<String, String> redis;
  private final String keys;
  private final LoadCounts counts;
  private final Map<String, Series> series = new LinkedHashMap<>();
  private final List<Double> seconds = new ArrayList<>();
  private final long began = System.nanoTime();
  private long lastNanos = began;
  private long lastCalls;
  private long lastFailures;

  /**
   * @param keys pattern of the keys that count
   */
  ProcessSampler(RedisCommands<String, String> redis, String keys, LoadCounts counts) {
    this.redis = redis;
    this.keys = keys;
    this.counts = counts;
    add("heap after a collection", "bytes", HEAP);
    add("threads", "", THREADS);
    add("open file descriptors", "", DESCRIPTORS);
    add("connections at the server", "", CONNECTIONS);
    add("subscriptions at the server", "", CONNECTIONS);
    add("memory of the server", "bytes", SERVER_MEMORY);
    add(TOTAL, "", KEYS);
    add("calls per second", "", null);
    add("failures per second", "", null);
  }

  private void add(String name, String unit, Growth.@Nullable Bound bound) {
    series.put(name, new Series(name, unit, bound, new ArrayList<>()));
  }

  /** Measures once. What the server does not say at the moment is not a number. */
  void sample() {
    long now = System.nanoTime();
    Map<String, Double> found = new LinkedHashMap<>();
    rates(found, now);
    process(found);
    boolean answered = false;
    Map<String, Long> kinds = Map.of();
    try {
      server(found);
      kinds = kinds();
      answered = true;
    } catch (RedisException e) {
      answered = false; // it is stopped, or starting: a gap in its series
    }
    if (answered) {
      found.put(TOTAL, (double) kinds.values().stream().mapToLong(n -> n).sum());
      kinds.forEach(
          (kind, count) -> {
            String name = KEYS_OF + kind;
            series.computeIfAbsent(name, key -> Series.from(key, "", KEYS, seconds.size()));
            found.put(name, (double) count);
          });
    }
    double otherwise = answered ? 0 : Double.NaN;
    series.forEach((name, one) -> one.values().add(found.getOrDefault(name, otherwise)));
    seconds.add((now - began) / 1e9);
  }

  private void rates(Map<String, Double> found, long now) {
    double passed = Math.max(1, now - lastNanos) / 1e9;
    long calls = counts.calls();
    long failures = counts.failures();
    found.put("calls per second", (calls - lastCalls) / passed);
    found.put("failures per second", (failures - lastFailures) / passed);
    lastNanos = now;
    lastCalls = calls;
    lastFailures = failures;
  }

  private static void process(Map<String, Double> found) {
    System.gc();
    found.put(
        "heap after a collection",
        (double) ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    found.put("threads", (double) ManagementFactory.getThreadMXBean().getThreadCount());
    double descriptors = Double.NaN;
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
      descriptors = unix.getOpenFileDescriptorCount();
    }
    found.put("open file descriptors", descriptors);
  }

  private void server(Map<String, Double> found) {
    String clients = redis.clientList();
    found.put("connections at the server", (double) clients.lines().count());
    long subscriptions = 0;
    for (Matcher matcher = SUBSCRIBED.matcher(clients); matcher.find(); ) {
      subscriptions += Long.parseLong(matcher.group(1));
    }
    found.put("subscriptions at the server", (double) subscriptions);
    found.put(
        "memory of the server",
        redis
            .info("memory")
            .lines()
            .filter(line -> line.startsWith("used_memory:"))
            .mapToDouble(line -> Double.parseDouble(line.substring("used_memory:".length()).trim()))
            .findFirst()
            .orElse(Double.NaN));
  }

  private Map<String, Long> kinds() {
    Map<String, Long> kinds = new TreeMap<>();
    ScanArgs args = ScanArgs.Builder.matches(keys).limit(1000);
    KeyScanCursor<String> cursor = redis.scan(args);
    while (true) {
      cursor.getKeys().forEach(key -> kinds.merge(kind(key), 1L, Long::sum));
      if (cursor.isFinished()) {
        return kinds;
      }
      cursor = redis.scan(ScanCursor.of(cursor.getCursor()), args);
    }
  }

  /** {@return the word behind the name in braces, which says what a key is for} */
  static String kind(String key) {
    int from = key.indexOf("}:");
    if (from < 0) {
      return "others";
    }
    String rest = key.substring(from + 2);
    int to = rest.indexOf(':');
    return to < 0 ? rest : rest.substring(0, to);
  }

  static boolean isOfKeys(String series) {
    return series.startsWith(KEYS_OF);
  }

  List<Series> series() {
    return List.copyOf(series.values());
  }

  /** {@return when each sample was taken, seconds since the first} */
  List<Double> seconds() {
    return List.copyOf(seconds);
  }
}
