package dev.sluice.internal.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeaseRulesTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private final LeaseRules rules = new LeaseRules(0.01);

  @Test
  void marginIsAtLeastThreeMilliseconds() {
    assertThat(rules.margin(10 * MS)).isEqualTo(3 * MS);
    assertThat(rules.margin(200 * MS)).isEqualTo(3 * MS);
    assertThat(rules.margin(300 * MS)).isEqualTo(4 * MS);
    assertThat(rules.margin(30_000 * MS)).isEqualTo(301 * MS);
    assertThat(new LeaseRules(0).margin(30_000 * MS)).isEqualTo(3 * MS);
  }

  @Test
  void deadlineCountsFromTheSending() {
    assertThat(rules.deadline(100, 999_999_999, 1000 * MS, 1000 * MS)).isEqualTo(100 + 989 * MS);
  }

  @Test
  void marginIsForTheTimeThatTheStoreConfirmed() {
    long day = TimeUnit.DAYS.toNanos(1);
    assertThat(rules.deadline(0, 0, 4000 * MS, day)).isEqualTo(3959 * MS);
    assertThat(rules.deadline(0, 0, day, 4000 * MS)).isEqualTo(3959 * MS);
  }

  @Test
  void leaseIsGoodUntilItsDeadline() {
    assertThat(rules.isGood(9, 10)).isTrue();
    assertThat(rules.isGood(10, 10)).isFalse();
    assertThat(rules.renewalCounts(9, 10)).isTrue();
    assertThat(rules.renewalCounts(10, 10)).isFalse();
  }

  @Test
  void momentsAreComparedAcrossTheWrapOfTheClock() {
    long before = Long.MAX_VALUE - 1;
    long after = before + 10; // negative
    assertThat(rules.isGood(before, after)).isTrue();
    assertThat(rules.isGood(after, before)).isFalse();
    assertThat(rules.renewalCounts(before, after)).isTrue();
    assertThat(rules.mayHandOff(before, after, 20)).isTrue();
    assertThat(rules.mayHandOff(before, after, 21)).isTrue();
    assertThat(rules.mayHandOff(before, after, 22)).isFalse();
  }
}
