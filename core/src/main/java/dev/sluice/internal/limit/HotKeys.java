package dev.sluice.internal.limit;

import dev.sluice.spi.Ticker;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the most used keys, only while a caller polls for them. A busy key shows up early after
 * each poll, so the first few hundred keys contain the busy ones. The others are not counted. Safe
 * for use by many threads.
 */
final class HotKeys {
  private static final int MANY = 512;
  private static final int TOP = 10;
  private static final long INTEREST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Ticker ticker;
  private volatile @Nullable Map<String, LongAdder> counts;
  private volatile long wantedAt;

  HotKeys(Ticker ticker) {
    this.ticker = ticker;
  }

  /** A call for a key. Costs one read of a field while no caller polls. */
  void count(String key) {
    Map<String, LongAdder> counting = counts;
    if (counting != null) {
      count(counting, key);
    }
  }

  private void count(Map<String, LongAdder> counting, String key) {
    LongAdder known = counting.get(key);
    if (known != null) {
      known.increment();
    } else if (counting.size() < MANY) {
      counting.computeIfAbsent(key, k -> new LongAdder()).increment();
    } else if (ticker.nanos() - wantedAt > INTEREST_NANOS) {
      counts = null;
    }
  }

  /** Returns the busiest keys since the last call; resets the counts. */
  synchronized Map<String, Long> take() {
    Map<String, LongAdder> counted = counts;
    wantedAt = ticker.nanos();
    counts = new ConcurrentHashMap<>();
    Map<String, Long> top = new LinkedHashMap<>();
    if (counted != null) {
      counted.entrySet().stream()
          .map(entry -> Map.entry(entry.getKey(), entry.getValue().sum()))
          .sorted(
              Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                  .thenComparing(Map.Entry.comparingByKey()))
          .limit(TOP)
          .forEach(entry -> top.put(entry.getKey(), entry.getValue()));
    }
    return top;
  }
}
