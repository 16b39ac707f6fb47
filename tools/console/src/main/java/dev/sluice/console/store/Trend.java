package dev.sluice.console.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A day of a few numbers: every sample of the last ten minutes, then the maximum of each 15 seconds
 * for two hours, then the maximum of each minute. The highest, so that a short peak stays in sight.
 * Not safe for use by many threads: the sampler's lock guards it.
 */
public final class Trend {
  public static final int FINE_SECONDS = 600;
  static final int DAY_SECONDS = 86_400;

  /** The gap without samples after which the line of a chart is interrupted. */
  static final int GAP_SECONDS = 60;

  private record Sample(long second, Map<String, Double> numbers) {}

  /** Samples of one step, the oldest first. */
  private static final class Tier {
    final int step;
    final int lasts;
    final Deque<Sample> samples = new ArrayDeque<>();

    Tier(int step, int lasts) {
      this.step = step;
      this.lasts = lasts;
    }

    void add(Sample sample) {
      Sample last = samples.peekLast();
      if (last != null && last.second / step == sample.second / step) {
        sample.numbers.forEach((name, value) -> last.numbers.merge(name, value, Math::max));
      } else {
        samples.addLast(sample);
      }
    }
  }

  private final List<Tier> tiers =
      List.of(new Tier(1, FINE_SECONDS), new Tier(15, 7_200), new Tier(60, DAY_SECONDS));
  private long newest = Long.MIN_VALUE;

  /** Records the numbers of a second; none if sampling failed. */
  void add(long second, Map<String, Double> numbers) {
    if (newest != Long.MIN_VALUE && second < newest - GAP_SECONDS) {
      tiers.forEach(tier -> tier.samples.clear()); // the clock was set back
      newest = Long.MIN_VALUE;
    }
    Tier fine = tiers.get(0);
    if (newest != Long.MIN_VALUE && second - newest > GAP_SECONDS) {
      fine.add(new Sample(newest + 1, new HashMap<>()));
    }
    fine.add(new Sample(Math.max(second, newest), new HashMap<>(numbers)));
    newest = Math.max(second, newest);
    for (int i = 0; i < tiers.size(); i++) {
      Tier tier = tiers.get(i);
      for (Sample old = tier.samples.peekFirst();
          old != null && newest - old.second >= tier.lasts;
          old = tier.samples.peekFirst()) {
        tier.samples.removeFirst();
        if (i + 1 < tiers.size()) {
          tiers.get(i + 1).add(old);
        }
      }
    }
  }

  /** The time of a sample, and the values of the series with a prefix; null for none. */
  Map<String, Object> read(List<String> beginnings) {
    List<Sample> samples = new ArrayList<>();
    for (int i = tiers.size() - 1; i >= 0; i--) {
      samples.addAll(tiers.get(i).samples);
    }
    Map<String, List<@Nullable Double>> series = new LinkedHashMap<>();
    for (int i = 0; i < samples.size(); i++) {
      int before = i;
      samples
          .get(i)
          .numbers
          .forEach(
              (name, value) -> {
                if (beginnings.stream().anyMatch(name::startsWith)) {
                  List<@Nullable Double> values =
                      series.computeIfAbsent(name, n -> new ArrayList<>(samples.size()));
                  while (values.size() < before) {
                    values.add(null);
                  }
                  values.add(value);
                }
              });
    }
    series
        .values()
        .forEach(
            values -> {
              while (values.size() < samples.size()) {
                values.add(null);
              }
            });
    Map<String, Object> trend = new LinkedHashMap<>();
    trend.put("at", samples.stream().map(Sample::second).toList());
    trend.put("series", series);
    return trend;
  }
}
