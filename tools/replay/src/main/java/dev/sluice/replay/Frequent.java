package dev.sluice.replay;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The most frequent keys, with a fixed number of counters: a key without one takes over the
 * smallest and its count (Space-Saving; Metwally, Agrawal, El Abbadi 2005). A count is never too
 * low, and too high by at most {@link Top#tooMuch}.
 */
final class Frequent {
  private static final int COUNTERS = 512;

  /**
   * One of the most frequent keys.
   *
   * @param key the key
   * @param count how often, or more
   * @param tooMuch by how much the count may be too high
   */
  record Top(String key, long count, long tooMuch) {}

  private static final class Counter {
    byte[] key;
    long hash;
    long count;
    long tooMuch;

    Counter(byte[] key) {
      this.key = key;
    }
  }

  private final Map<Long, Counter> byHash = new HashMap<>();
  private final List<Counter> counters = new ArrayList<>();

  // counts only grow, so the smallest is found again where the last search ended
  private long smallest = 1;
  private int cursor;

  void add(long hash, LogLine line) {
    Counter counter = byHash.get(hash);
    if (counter == null) {
      byte[] key = Arrays.copyOfRange(line.key, line.keyFrom, line.keyTo);
      if (counters.size() < COUNTERS) {
        counter = new Counter(key);
        counters.add(counter);
      } else {
        counter = takeOverSmallest();
        counter.key = key;
      }
      counter.hash = hash;
      byHash.put(hash, counter);
    }
    counter.count++;
  }

  private Counter takeOverSmallest() {
    for (int looked = 0; counters.get(cursor).count > smallest; looked++) {
      if (looked == COUNTERS) {
        smallest = counters.stream().mapToLong(counter -> counter.count).min().orElseThrow();
        looked = 0;
      }
      cursor = (cursor + 1) % COUNTERS;
    }
    Counter counter = counters.get(cursor);
    byHash.remove(counter.hash);
    counter.tooMuch = counter.count;
    return counter;
  }

  List<Top> top(int most) {
    return counters.stream()
        .sorted(Comparator.comparingLong((Counter counter) -> -counter.count))
        .limit(most)
        .map(
            counter ->
                new Top(
                    new String(counter.key, StandardCharsets.UTF_8),
                    counter.count,
                    counter.tooMuch))
        .toList();
  }
}
