package dev.sluice.testkit.limit;

import static dev.sluice.testkit.FlakyBackend.Verb.DECIDE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterStats;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests of leased permits and of cached refusals.
 *
 * @since 0.1
 */
public interface LimitLeases extends LimitContract {

  private RateLimiter leasing(dev.sluice.Sluice client, Limit limit) {
    return client.rateLimiter(NAME + "/" + limit.algorithm().word(), patient(limit).leasing());
  }

  @Test
  default void leasesNeverLetTooManyPass() throws Exception {
    for (Limit limit : each(1000, LONG)) {
      AtomicInteger admitted = new AtomicInteger();
      List<RateLimiter> limiters = new ArrayList<>();
      List<Running<Boolean>> callers = new ArrayList<>();
      store().pass(Duration.ofMillis(5)); // demand is measured in time
      for (int i = 0; i < 3; i++) {
        RateLimiter limiter = leasing(client(), limit);
        limiters.add(limiter);
        for (int thread = 0; thread < 4; thread++) {
          callers.add(
              start(
                  () -> {
                    for (int call = 0; call < 400; call++) {
                      if (limiter.tryAcquire(KEY).allowed()) {
                        admitted.incrementAndGet();
                      }
                    }
                    return true;
                  }));
        }
      }
      for (Running<Boolean> caller : callers) {
        caller.result();
      }
      assertThat(admitted.get()).as("%s", limit).isLessThanOrEqualTo(1000);
      store().pass(Duration.ofSeconds(2)); // what is left comes back
      RateLimiter other = limiter(client(), limit);
      within( // the last of it later, where the machine stood still
          "what is left is back", Duration.ofSeconds(2), () -> admitted.get() + left(other) >= 950);
      for (int i = 0; i < 40 && limiters.get(0).tryAcquire(KEY).allowed(); i++) {
        admitted.incrementAndGet();
        store().pass(Duration.ofSeconds(1)); // too slow for a lease
      }
      assertThat(admitted.get()).as("%s", limit).isBetween(950, 1000);
    }
  }

  @Test
  default void leasesSaveTrips() {
    FlakyBackend line = line();
    RateLimiter limiter = leasing(client(line), Limit.gcra(1_000_000, LONG));
    for (int i = 0; i < 4000; i++) {
      if (i % 40 == 0) {
        store().pass(Duration.ofMillis(1));
      }
      assertThat(limiter.tryAcquire(KEY).allowed()).isTrue();
    }
    RateLimiterStats stats = limiter.stats();
    assertThat(stats.fromLease()).isGreaterThan(2000);
    assertThat(line.calls(DECIDE)).isLessThan(2000);
    assertThat(stats.allowed()).isEqualTo(4000);
    assertThat(stats.trips()).isEqualTo(line.calls(DECIDE));
  }

  @Test
  default void unusedCreditComesBackAndOnClosingAtOnce() {
    for (boolean closes : new boolean[] {false, true}) {
      var client = client();
      Limit limit = Limit.slidingLog(1000, LONG);
      RateLimiter limiter = leasing(client, limit);
      RateLimiter other = leasing(client(), limit);
      other.reset(KEY);
      long used = 0;
      while (limiter.stats().fromLease() == 0) {
        store().pass(Duration.ofMillis(1));
        assertThat(limiter.tryAcquire(KEY).allowed()).isTrue();
        used++;
        assertThat(used).isLessThan(1000);
      }
      long expected = 1000 - used;
      if (closes) {
        client.close();
        until("the credit is back", () -> left(other) == expected);
      } else {
        within("the credit is back", Duration.ofSeconds(3), () -> left(other) == expected);
      }
    }
  }

  @Test
  default void creditFromBeforeAResetDoesNotComeBack() {
    for (Limit limit : each(1000, LONG)) {
      var client = client();
      withCredit(leasing(client, limit));
      store().pass(Duration.ofMillis(2));
      RateLimiter other = limiter(client(), limit);
      other.reset(KEY);
      assertThat(other.tryAcquire(KEY, 900).allowed()).isTrue();
      client.close();
      store().pass(Duration.ofSeconds(2)); // what came back did
      assertThat(left(other)).as("%s", limit).isEqualTo(100);
    }
  }

  @Test
  default void creditOfAHigherLimitDoesNotComeBackToALowerOne() {
    for (Limit limit : each(10_000, LONG)) {
      var client = client();
      withCredit(leasing(client, limit));
      Limit lower =
          each(100, LONG).stream()
              .filter(one -> one.algorithm() == limit.algorithm())
              .findFirst()
              .orElseThrow();
      RateLimiter other = limiter(client(), limit);
      other.update(patient(lower).version(1, CarryOver.PROPORTIONAL));
      drain(other, 100);
      client.close();
      store().pass(Duration.ofSeconds(2));
      assertThat(other.tryAcquire(KEY).allowed()).as("%s", limit).isFalse();
    }
  }

  /** Sends requests until permits are leased in advance. */
  private void withCredit(RateLimiter limiter) {
    for (int i = 0; limiter.stats().fromLease() == 0; i++) {
      store().pass(Duration.ofMillis(1));
      assertThat(limiter.tryAcquire(KEY).allowed()).isTrue();
      assertThat(i).isLessThan(500);
    }
  }

  @Test
  default void refusalIsRememberedUntilItEnds() {
    for (Limit limit : each(3, SHORT)) {
      FlakyBackend line = line();
      RateLimiter limiter = leasing(client(line), limit);
      long start = store().nanos();
      Decision refused = limiter.tryAcquire(KEY);
      for (int i = 0; i < 100 && refused.allowed(); i++) {
        start = store().nanos();
        refused = limiter.tryAcquire(KEY);
      }
      assertThat(refused.allowed()).as("%s", limit).isFalse();
      int before = line.calls(DECIDE);
      int answered = 0;
      for (Decision again = limiter.tryAcquire(KEY);
          !again.allowed() && answered < 5;
          again = limiter.tryAcquire(KEY)) {
        if (again.source() == Decision.Source.MEMO) {
          answered++;
          assertThat(again.retryAfter()).isPositive().isLessThanOrEqualTo(SHORT.multipliedBy(2));
        }
      }
      long lasts = Math.min(SHORT.dividedBy(20).toNanos(), refused.retryAfter().toNanos());
      if (store().nanos() - start < lasts) { // else it may have ended
        assertThat(line.calls(DECIDE)).as("%s", limit).isEqualTo(before);
        assertThat(answered).isPositive();
      }
      within("it passes", SHORT.multipliedBy(3), () -> limiter.tryAcquire(KEY).allowed());
    }
  }

  @Test
  default void refusalIsForgottenWhenPermitsComeBack() {
    for (Limit limit : each(3, LONG)) {
      var client = client();
      RateLimiter limiter = leasing(client, limit);
      drain(limiter, 3);
      limiter.refund(KEY, 1);
      assertThat(limiter.tryAcquire(KEY).allowed()).as("after a refund, %s", limit).isTrue();
      drain(limiter, 0);
      limiter.reset(KEY);
      assertThat(limiter.tryAcquire(KEY).allowed()).as("after a reset, %s", limit).isTrue();
      drain(limiter, 2);
      limiter.update(patient(Limit.gcra(50, LONG)).leasing().version(1, CarryOver.RESET));
      assertThat(limiter.tryAcquire(KEY).allowed()).as("after a change, %s", limit).isTrue();
    }
  }

  @Test
  default void smallerCostMayPassAlthoughALargerOneWasRefused() {
    RateLimiter limiter = leasing(client(), Limit.gcra(5, LONG));
    limiter.tryAcquire(KEY, 3);
    assertThat(limiter.tryAcquire(KEY, 4).allowed()).isFalse();
    assertThat(limiter.tryAcquire(KEY, 5).source()).isEqualTo(Decision.Source.MEMO);
    assertThat(limiter.tryAcquire(KEY, 2).allowed()).isTrue();
  }

  @Test
  default void creditOfAnOldPolicyIsNotUsed() {
    RateLimiter limiter =
        client()
            .rateLimiter(
                NAME, patient(Limit.slidingLog(1000, LONG)).leasing().version(1, CarryOver.KEEP));
    while (limiter.stats().fromLease() == 0) {
      store().pass(Duration.ofMillis(1));
      assertThat(limiter.tryAcquire(KEY).allowed()).isTrue();
    }
    limiter.update(patient(Limit.slidingLog(1, LONG)).leasing().version(2, CarryOver.KEEP));
    for (int i = 0; i < 20; i++) {
      assertThat(limiter.tryAcquire(KEY).allowed()).isFalse();
    }
  }
}
