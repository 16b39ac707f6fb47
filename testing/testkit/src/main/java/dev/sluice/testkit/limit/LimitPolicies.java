package dev.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Tests of several tiers, overrides, plans, policy changes and many concurrent callers.
 *
 * @since 0.1
 */
public interface LimitPolicies extends LimitContract {

  @Test
  default void r2_refusalSpendsNothingInAnyTier() {
    Sluice client = client();
    Limit wide = Limit.tokenBucket(100, LONG).name("wide");
    for (Limit narrow : each(3, LONG)) {
      String name = NAME + narrow.algorithm().word();
      RateLimiter both = client.rateLimiter(name, patient(wide, narrow.name("narrow")));
      RateLimiter first = client.rateLimiter(name, patient(wide));
      drain(both, 3);
      for (int i = 0; i < 10; i++) {
        Decision refused = both.tryAcquire(KEY);
        assertThat(refused.allowed()).as("%s", narrow).isFalse();
        assertThat(refused.refusedBy()).contains("narrow");
        assertThat(refused.limit()).isEqualTo(3);
      }
      assertThat(left(first)).as("spent in the tier beside %s", narrow).isEqualTo(97);
      both.refund(KEY, 2);
      assertThat(left(first)).isEqualTo(99);
      assertThat(left(both)).isEqualTo(2);
      both.reset(KEY);
      assertThat(left(first)).isEqualTo(100);
    }
  }

  @Test
  default void tierThatMakesWaitLongestIsNamed() {
    Limit fast = Limit.gcra(1, Duration.ofDays(10)).burst(2).name("fast");
    Limit slow = Limit.slidingLog(2, LONG).name("slow");
    RateLimiter limiter = client().rateLimiter(NAME, patient(fast, slow));
    Decision refused = drain(limiter, 2);
    assertThat(refused.refusedBy()).contains("slow");
    assertThat(refused.retryAfter()).isGreaterThan(Duration.ofDays(200));
  }

  @Test
  default void allAlgorithmsDecideTogether() {
    List<Limit> tiers = new ArrayList<>();
    for (Limit limit : each(8, LONG)) {
      tiers.add(limit.name(limit.algorithm().word()));
    }
    RateLimiter limiter = client().rateLimiter(NAME, patient(tiers.toArray(new Limit[0])));
    assertThat(limiter.tryAcquire(KEY, 5).remaining()).isEqualTo(3);
    assertThat(limiter.tryAcquire(KEY, 4).allowed()).isFalse();
    assertThat(limiter.tryAcquire(KEY, 3).remaining()).isZero();
  }

  @Test
  default void sharedTierCountsAllKeys() {
    Sluice client = client();
    for (Limit total : each(5, LONG)) {
      Limit user = Limit.slidingWindow(3, LONG).name("user");
      RateLimiter limiter =
          client.rateLimiter(
              NAME + total.algorithm().word(), patient(user, total.name("total").shared()));
      assertThat(limiter.tryAcquire("a", 3).allowed()).isTrue();
      assertThat(limiter.tryAcquire("a", 1).refusedBy()).contains("user");
      assertThat(limiter.tryAcquire("b", 2).allowed()).isTrue();
      assertThat(limiter.tryAcquire("b", 1).refusedBy()).contains("total");
      limiter.reset("a");
      assertThat(limiter.tryAcquire("a", 1).refusedBy()).as("%s", total).contains("total");
      limiter.refund("b", 2);
      assertThat(limiter.tryAcquire("a", 2).allowed()).as("%s", total).isTrue();
    }
  }

  @Test
  default void keyMayHaveLimitsOfItsOwn() {
    RateLimiter limiter =
        client()
            .rateLimiter(
                NAME, patient(Limit.fixedWindow(1, LONG)).override("vip", Limit.gcra(4, LONG)));
    assertThat(limiter.tryAcquire("vip", 4).allowed()).isTrue();
    assertThat(limiter.tryAcquire("vip").allowed()).isFalse();
    assertThat(limiter.tryAcquire("none").limit()).isOne();
    assertThatThrownBy(() -> limiter.tryAcquire("none", 2))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  default void keyHasTheLimitsOfItsPlan() {
    RateLimiter limiter =
        client()
            .rateLimiter(
                NAME,
                patient(Limit.fixedWindow(1, LONG))
                    .plan("pro", Limit.gcra(4, LONG))
                    .plan("queued", Limit.leakyQueue(1, Duration.ofHours(1)).places(7))
                    .planOf(key -> key.equals("free") ? null : key.replaceFirst("/.*", ""))
                    .override("pro/own", Limit.slidingLog(9, LONG)));
    assertThat(limiter.tryAcquire("pro/1", 4).allowed()).isTrue();
    assertThat(limiter.tryAcquire("pro/1").allowed()).isFalse();
    assertThat(limiter.tryAcquire("pro/2").limit()).as("each key counts alone").isEqualTo(4);
    assertThat(limiter.tryAcquire("queued").limit()).isEqualTo(7);
    assertThat(limiter.tryAcquire("pro/own").limit()).as("before its plan").isEqualTo(9);
    assertThat(limiter.tryAcquire("free").limit()).isOne();
    assertThat(limiter.tryAcquire("unknown").limit()).as("never without a limit").isOne();
    assertThatThrownBy(() -> limiter.tryAcquire("free", 2))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  default void changeOfThePlanKeepsWhatWasSpent() {
    List<Limit> free = each(10, LONG);
    List<Limit> pro = each(20, LONG);
    AtomicReference<String> plan = new AtomicReference<>();
    for (int i = 0; i < free.size(); i++) {
      plan.set("free");
      RateLimiter limiter =
          client()
              .rateLimiter(
                  NAME + i,
                  patient(Limit.gcra(1, LONG))
                      .plan("free", free.get(i))
                      .plan("pro", pro.get(i))
                      .planOf(key -> plan.get())
                      .version(1, CarryOver.RESET)); // for another version, not for another plan
      limiter.tryAcquire(KEY, 7);
      plan.set("pro");
      assertThat(limiter.tryAcquire(KEY).remaining()).as("%s", pro.get(i)).isEqualTo(12);
      plan.set("free");
      assertThat(limiter.tryAcquire(KEY).remaining()).as("%s", free.get(i)).isOne();
    }
  }

  @Test
  default void changeOfThePolicyCarriesOverWhatItsNameSays() {
    Sluice client = client();
    long[] expected = {13, 6, 20}; // keep, proportional, reset
    for (int i = 0; i < expected.length; i++) {
      CarryOver carryOver = CarryOver.values()[i];
      for (Limit.Algorithm algorithm :
          List.of(
              Limit.Algorithm.TOKEN_BUCKET,
              Limit.Algorithm.SLIDING_WINDOW,
              Limit.Algorithm.FIXED_WINDOW,
              Limit.Algorithm.EXPIRING_WINDOW)) {
        RateLimiter limiter =
            client.rateLimiter(
                NAME + carryOver + algorithm.word(),
                patient(of(algorithm, 10)).version(1, carryOver));
        limiter.tryAcquire(KEY, 7);
        limiter.update(patient(of(algorithm, 20)).version(2, carryOver));
        assertThat(left(limiter)).as("%s of %s", carryOver, algorithm).isEqualTo(expected[i]);
        assertThat(limiter.options().version()).isEqualTo(2);
      }
    }
  }

  private Limit of(Limit.Algorithm algorithm, long permits) {
    return each(permits, LONG).stream().filter(l -> l.algorithm() == algorithm).findAny().get();
  }

  @Test
  default void olderProcessFollowsTheNewerPolicy() {
    for (Limit limit : each(10, LONG)) {
      RateLimiterOptions old = patient(limit).version(1, CarryOver.KEEP);
      RateLimiterOptions next = patient(of(limit.algorithm(), 4)).version(2, CarryOver.KEEP);
      String name = NAME + limit.algorithm().word();
      RateLimiter a = client().rateLimiter(name, old);
      RateLimiter other = client().rateLimiter(name, next);
      assertThat(a.tryAcquire(KEY).limit()).isEqualTo(10);
      for (int taken = 2; taken <= 4; taken++) {
        Decision decision = (taken % 2 == 0 ? other : a).tryAcquire(KEY);
        assertThat(decision.allowed()).as("%s", limit).isTrue();
        assertThat(decision.limit()).as("%s", limit).isEqualTo(4);
        assertThat(decision.remaining()).as("%s", limit).isEqualTo(4 - taken);
      }
      assertThat(a.tryAcquire(KEY).allowed()).as("%s", limit).isFalse();
      assertThat(other.tryAcquire(KEY).allowed()).as("%s", limit).isFalse();
    }
  }

  @Test
  default void versionDoesNotGoBack() {
    RateLimiter limiter =
        client().rateLimiter(NAME, patient(Limit.gcra(1, LONG)).version(5, CarryOver.KEEP));
    assertThatThrownBy(
            () -> limiter.update(patient(Limit.gcra(1, LONG)).version(4, CarryOver.KEEP)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("version must not decrease: 4 after 5");
  }

  @Test
  default void raisedRateLetsPassSooner() {
    for (Limit limit : each(5, LONG)) {
      RateLimiter limiter =
          client()
              .rateLimiter(
                  NAME + limit.algorithm().word(), patient(limit).version(1, CarryOver.KEEP));
      Decision refused = drain(limiter, 5);
      Limit faster = Limit.tokenBucket(5, SHORT);
      limiter.update(patient(faster).version(2, CarryOver.KEEP));
      assertThat(limiter.peek(KEY, 1).retryAfter())
          .as("%s", limit)
          .isLessThan(refused.retryAfter())
          .isLessThanOrEqualTo(SHORT);
      within("it passes", SHORT.multipliedBy(2), () -> limiter.tryAcquire(KEY).allowed());
    }
  }

  @Test
  default void r1_manyCallersNeverGetTooMany() throws Exception {
    List<Sluice> clients = List.of(client(), client(), client(), client());
    for (Limit limit : each(100, LONG)) {
      AtomicInteger admitted = new AtomicInteger();
      List<Running<Boolean>> callers = new ArrayList<>();
      for (Sluice client : clients) {
        RateLimiter limiter = limiter(client, limit);
        for (int i = 0; i < 4; i++) {
          long cost = 1 + i % 2;
          callers.add(
              start(
                  () -> {
                    for (int call = 0; call < 60; call++) {
                      if (limiter.tryAcquire(KEY, cost).allowed()) {
                        admitted.addAndGet((int) cost);
                      }
                    }
                    return true;
                  }));
        }
      }
      for (Running<Boolean> caller : callers) {
        caller.result();
      }
      assertThat(admitted).as("%s", limit).hasValue(100);
    }
  }
}
