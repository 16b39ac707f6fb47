package dev.sluice.console.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The samples of a day. */
class TrendTest {
  private static final long START = 1_800_000_000; // a whole minute

  private final Trend trend = new Trend();

  private void add(long second, double held) {
    trend.add(START + second, Map.of("locks.held", held, "limits.admitted", 1.0));
  }

  @SuppressWarnings("unchecked")
  private List<Long> at() {
    return ((List<Long>) trend.read(List.of("locks.")).get("at"))
        .stream().map(second -> second - START).toList();
  }

  @SuppressWarnings("unchecked")
  private Map<String, List<Double>> series() {
    return (Map<String, List<Double>>) trend.read(List.of("locks.")).get("series");
  }

  @Test
  void itBeginsWithTheFirstLook() {
    assertThat(at()).isEmpty();
    add(0, 1);
    add(15, 2);
    assertThat(at()).containsExactly(0L, 15L);
    assertThat(series()).containsOnlyKeys("locks.held");
    assertThat(series().get("locks.held")).containsExactly(1.0, 2.0);
  }

  @Test
  void aDayFitsAndAShortPeakStaysInSight() {
    for (int second = 0; second < Trend.DAY_SECONDS; second++) {
      add(second, second == 1_234 ? 99 : 1);
    }
    assertThat(at()).hasSizeBetween(2_200, 2_600).isSorted();
    assertThat(at().get(0)).isZero();
    assertThat(series().get("locks.held")).containsOnlyOnce(99.0).hasSameSizeAs(at());
    int peak = series().get("locks.held").indexOf(99.0);
    assertThat(at().get(peak)).isBetween(1_234L - 60, 1_234L);
    for (int second = 0; second < Trend.DAY_SECONDS; second += 15) {
      add(Trend.DAY_SECONDS + second, 2);
    }
    assertThat(at().get(0)).isBetween(Trend.DAY_SECONDS - 120L, Trend.DAY_SECONDS + 120L);
    assertThat(at()).hasSizeLessThan(2_600);
  }

  @Test
  void whatWasNotLookedAtIsAGap() {
    add(0, 1);
    add(1 + Trend.GAP_SECONDS, 2);
    trend.add(START + 2 + Trend.GAP_SECONDS, Map.of());
    assertThat(at()).containsExactly(0L, 1L, 61L, 62L);
    assertThat(series().get("locks.held")).containsExactly(1.0, null, 2.0, null);
  }

  @Test
  void aClockThatIsSetBackBeginsAgain() {
    add(3_600, 1);
    add(0, 2);
    assertThat(at()).containsExactly(0L);
    add(-1, 3);
    assertThat(at()).as("by a second only").containsExactly(0L);
    assertThat(series().get("locks.held")).containsExactly(3.0);
  }
}
