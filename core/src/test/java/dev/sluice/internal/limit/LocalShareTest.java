package dev.sluice.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.CarryOver;
import dev.sluice.memory.ManualTime;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The counts that a limiter keeps in the process while its store is unreachable. */
class LocalShareTest {
  private static final int MAX_COUNT = 3;
  private static final long MINUTE_MICROS = 60_000_000;

  private final ManualTime time = new ManualTime();
  private final LocalShare share = new LocalShare(2, time, MAX_COUNT);

  private static LimitRule window(int permits, String tier, boolean shared) {
    return new LimitRule(
        LimitRule.Kind.EXPIRING_WINDOW,
        permits,
        MINUTE_MICROS,
        0,
        0,
        CarryOver.KEEP,
        tier,
        shared,
        false);
  }

  private boolean passes(String key, LimitRule... rules) {
    LimitRequest request =
        new LimitRequest(LimitRequest.Verb.TAKE, "api", key, List.of(rules), 1, 1, 0, 0);
    return share.decide(request).granted() == 1;
  }

  private int passed(String prefix, int keys) {
    int passed = 0;
    for (int i = 0; i < keys; i++) {
      passed += passes(prefix + i, window(4, "1", false)) ? 1 : 0;
    }
    return passed;
  }

  @Test
  void keysAboveTheBoundHaveOneShareTogether() {
    assertThat(passed("known", MAX_COUNT)).isEqualTo(MAX_COUNT);
    assertThat(passed("more", 1000)).as("half of 4 permits, for all of them").isEqualTo(2);
    assertThat(share.size()).isEqualTo(MAX_COUNT);
    assertThat(passed("known", MAX_COUNT))
        .as("those that are counted keep their share")
        .isEqualTo(MAX_COUNT);
    assertThat(passed("known", MAX_COUNT)).isZero();
  }

  @Test
  void anotherLimitHasAnotherCount() {
    passed("known", MAX_COUNT);
    assertThat(passes("a", window(2, "1", false))).isTrue();
    assertThat(passes("b", window(2, "1", false))).isFalse();
    assertThat(passes("c", window(20, "1", false))).isTrue();
  }

  @Test
  void countsThatHaveRunOutMakeRoom() {
    passed("known", MAX_COUNT);
    assertThat(passed("more", 10)).isEqualTo(2);
    time.advance(Duration.ofMinutes(2));
    assertThat(passed("new", MAX_COUNT)).isEqualTo(MAX_COUNT);
    assertThat(share.size()).isEqualTo(MAX_COUNT);
  }

  @Test
  void aSharedTierIsOneCountForAllKeys() {
    int passed = 0;
    for (int i = 0; i < 10; i++) {
      passed += passes("k" + i, window(100, "1", false), window(8, "all", true)) ? 1 : 0;
    }
    assertThat(passed).isEqualTo(4);
  }

  @Test
  void queuesAreBoundedAsWell() {
    for (int i = 0; i < 100; i++) {
      share.enter(new QueueRequest("q", "k" + i, "c", i, 1, 1000, 4, MINUTE_MICROS));
    }
    assertThat(share.size()).isEqualTo(MAX_COUNT);
  }
}
