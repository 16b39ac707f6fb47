package dev.sluice.console.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Recent samples: the last two minutes of each series, one number a second, and a day of the
 * totals. A ring for every series, bounded in their number. Not safe for use by many threads: the
 * sampler's lock guards it.
 */
final class SampleHistory {
  static final int SECONDS = 120;
  private static final int MAX_SERIES = 2_000;

  /** The interval between samples with equal numbers: no page was watched, or a sample was late. */
  private static final int BRIEF = 20;

  private static final class Ring {
    final double[] values = new double[SECONDS];
    long lastAt;

    Ring() {
      Arrays.fill(values, Double.NaN);
    }
  }

  private final Map<String, Ring> rings = new LinkedHashMap<>();
  private final Trend trend = new Trend();
  private long newest = Long.MIN_VALUE;

  /** Records the numbers of a second. */
  void add(long second, Map<String, Double> numbers) {
    Map<String, Double> totals = new LinkedHashMap<>(numbers);
    totals.keySet().removeIf(name -> name.indexOf('/') >= 0);
    trend.add(second, totals);
    if (newest != Long.MIN_VALUE) {
      boolean brief = second - newest < BRIEF;
      for (long gap = Math.max(newest + 1, second - SECONDS); gap <= second; gap++) {
        int at = (int) Math.floorMod(gap, (long) SECONDS);
        rings.forEach(
            (name, ring) ->
                ring.values[at] = brief ? numbers.getOrDefault(name, Double.NaN) : Double.NaN);
      }
    }
    newest = Math.max(newest, second);
    int at = (int) Math.floorMod(second, (long) SECONDS);
    numbers.forEach(
        (name, value) -> {
          Ring ring = rings.get(name);
          if (ring == null && rings.size() < MAX_SERIES) {
            ring = new Ring();
            rings.put(name, ring);
          }
          if (ring != null) {
            ring.values[at] = value;
            ring.lastAt = second;
          }
        });
    rings.values().removeIf(ring -> second - ring.lastAt >= SECONDS);
  }

  /**
   * The series with a prefix, oldest number first; null where none was recorded.
   *
   * @param names of what is in view: of series of one name, only those of these are read
   */
  Map<String, Object> read(List<String> beginnings, Set<String> names) {
    Map<String, Object> series = new LinkedHashMap<>();
    rings.forEach(
        (name, ring) -> {
          if (isIn(name, beginnings, names)) {
            series.put(name, values(ring));
          }
        });
    Map<String, Object> history = new LinkedHashMap<>();
    history.put("until", newest == Long.MIN_VALUE ? 0 : newest);
    history.put("seconds", SECONDS);
    history.put("series", series);
    history.put("trend", trend.read(beginnings));
    return history;
  }

  private static boolean isIn(String series, List<String> beginnings, Set<String> names) {
    int slash = series.indexOf('/');
    return beginnings.stream().anyMatch(series::startsWith)
        && (slash < 0 || names.contains(series.substring(slash + 1)));
  }

  /** The numbers of the last second, of the same series. */
  Map<String, Object> latest(List<String> beginnings, Set<String> names) {
    Map<String, Object> latest = new LinkedHashMap<>();
    rings.forEach(
        (name, ring) -> {
          if (ring.lastAt == newest && isIn(name, beginnings, names)) {
            latest.put(name, ring.values[(int) Math.floorMod(newest, (long) SECONDS)]);
          }
        });
    return latest;
  }

  private List<@Nullable Double> values(Ring ring) {
    List<@Nullable Double> values = new ArrayList<>(SECONDS);
    for (long second = newest - SECONDS + 1; second <= newest; second++) {
      double value = ring.values[(int) Math.floorMod(second, (long) SECONDS)];
      values.add(Double.isNaN(value) ? null : value);
    }
    return values;
  }
}
