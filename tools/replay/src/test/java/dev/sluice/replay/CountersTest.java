package dev.sluice.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CountersTest {
  private final Random random = new Random(17);

  private static LogLine line(String key) {
    LogLine line = new LogLine();
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    line.key(bytes, 0, bytes.length);
    return line;
  }

  @Test
  void aSpanIsNeverFullerThanThePeriodAndMissesAtMostAThousandth() {
    for (long period : new long[] {1, 3, 1000, 1024, 60_000_000, 1_000_003}) {
      Span span = new Span();
      List<Long> times = new ArrayList<>();
      long time = 1_700_000_000_000_000L;
      long slack = period / Span.parts(period) * 2 + period % Span.parts(period);
      for (int i = 0; i < 3000; i++) {
        time += random.nextInt(8) == 0 ? (long) (random.nextDouble() * period / 2) : 0;
        times.add(time);
        long now = time;
        long most = times.stream().filter(each -> each > now - period).count();
        long least = times.stream().filter(each -> each > now - period + slack).count();
        assertThat(span.add(time, period)).isBetween(Math.min(least, most), most);
      }
      assertThat(span.weight()).isLessThan(13_000);
    }
  }

  @Test
  void theMostFrequentKeysAreFoundAmongManyMore() {
    Frequent frequent = new Frequent();
    Map<String, Long> truth = new HashMap<>();
    for (int i = 0; i < 200_000; i++) {
      double even = random.nextDouble();
      String key = "k" + (int) (50_000 * even * even * even * even);
      truth.merge(key, 1L, Long::sum);
      LogLine line = line(key);
      frequent.add(line.hash(), line);
    }
    List<Frequent.Top> top = frequent.top(5);
    assertThat(top.get(0).key()).isEqualTo("k0");
    for (Frequent.Top each : top) {
      long exact = truth.get(each.key());
      assertThat(exact).isBetween(each.count() - each.tooMuch(), each.count());
      assertThat(each.tooMuch()).isLessThanOrEqualTo(200_000 / 512);
    }
  }

  @Test
  void aSampleOfTheKeysHasTheirExactCounts() {
    KeyCounts all = new KeyCounts(2, 100_000);
    KeyCounts sample = new KeyCounts(2, 5000);
    for (int i = 0; i < 300_000; i++) {
      int key = random.nextInt(40_000);
      long hash = line("k" + key).hash();
      int inAll = all.asked(hash);
      int inSample = sample.asked(hash);
      if (key % 4 == 0) {
        all.refused(inAll, 1);
        sample.refused(inSample, 1);
      }
    }
    assertThat(all.isExact()).isTrue();
    assertThat(sample.isExact()).isFalse();
    assertThat((double) sample.keys() / all.keys()).isCloseTo(1, within(0.1));
    assertThat(all.neverRefused(0)).isEqualTo(1);
    assertThat(all.neverRefused(1)).isCloseTo(0.75, within(0.01));
    assertThat(sample.neverRefused(1)).isCloseTo(0.75, within(0.04));
    assertThat(sample.giniOfAsked()).isCloseTo(all.giniOfAsked(), within(0.02));
    assertThat(sample.giniOfAdmitted(1)).isCloseTo(all.giniOfAdmitted(1), within(0.04));
  }

  @Test
  void giniIsZeroForEqualsAndGrowsTowardsOne() {
    assertThat(KeyCounts.gini(new long[0])).isZero();
    assertThat(KeyCounts.gini(new long[] {0, 0})).isZero();
    assertThat(KeyCounts.gini(new long[] {5, 5, 5})).isCloseTo(0, within(1e-12));
    assertThat(KeyCounts.gini(new long[] {0, 0, 0, 8})).isCloseTo(0.75, within(1e-12));
  }

  @Test
  void quantilesAreAtMostOnePercentTooHigh() {
    Delays delays = new Delays();
    List<Long> all = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      long wait = (long) Math.pow(10, random.nextDouble() * 9.5) - 1;
      delays.add(wait);
      all.add(wait);
    }
    all.sort(null);
    for (double share : new double[] {0.01, 0.1, 0.5, 0.9, 0.99, 1}) {
      long exact = all.get((int) Math.ceil(share * all.size()) - 1);
      assertThat(delays.quantile(share)).isBetween(exact, exact + exact / 100 + 1);
    }
    assertThat(delays.most()).isEqualTo(all.get(all.size() - 1));
    assertThat(new Delays().quantile(0.5)).isZero();
  }
}
