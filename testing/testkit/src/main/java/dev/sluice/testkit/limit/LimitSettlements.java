package dev.sluice.testkit.limit;

import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.REPEATS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.DECIDE;
import static dev.sluice.testkit.FlakyBackend.Verb.SETTLE_USE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Outage;
import dev.sluice.limit.RateLimitedException;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.limit.Settlement;
import dev.sluice.limit.SettlementStats;
import dev.sluice.limit.Usage;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests of uses that begin with an estimate and are settled when their cost is known.
 *
 * @since 0.1
 */
public interface LimitSettlements extends LimitContract {

  @Test
  default void r1_settlementReplacesTheEstimate() {
    Sluice client = client();
    for (Limit limit : each(10, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      Usage high = limiter.begin(KEY, 6);
      assertThat(high.decision().remaining()).as("%s", limit).isEqualTo(4);
      assertThat(high.key()).isEqualTo(KEY);
      assertThat(high.estimate()).isEqualTo(6);
      assertThat(high.settle(2)).as("%s", limit).isEqualTo(Settlement.COUNTED);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(8);
      Usage low = limiter.begin(KEY, 1);
      assertThat(low.id()).isNotEqualTo(high.id());
      assertThat(low.settle(4)).isEqualTo(Settlement.COUNTED);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(4);
      Usage exact = limiter.begin(KEY, 3);
      assertThat(exact.settle(3)).isEqualTo(Settlement.COUNTED);
      Usage unsettled = limiter.begin(KEY, 1);
      assertThat(unsettled.decision().remaining()).as("%s", limit).isZero();
    }
  }

  @Test
  default void r1_firstSettlementOfAUseCounts() {
    Sluice client = client();
    for (Limit limit : each(10, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      Usage use = limiter.begin(KEY, 4);
      assertThat(use.settle(6)).isEqualTo(Settlement.COUNTED);
      assertThat(use.settle(6)).isEqualTo(Settlement.REPEATED);
      assertThat(use.settle(1)).isEqualTo(Settlement.REPEATED);
      assertThat(use.refund()).isEqualTo(Settlement.REPEATED);
      Usage unused = limiter.begin(KEY, 3);
      assertThat(unused.refund()).isEqualTo(Settlement.COUNTED);
      assertThat(unused.settle(3)).isEqualTo(Settlement.REPEATED);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(4);
    }
  }

  /** The store records the id in the step that counts. */
  @Test
  default void r1_settlementThatArrivesTwiceCountsOnce() {
    for (Limit limit : each(10, LONG)) {
      FlakyBackend line = line();
      RateLimiter limiter = limiter(client(line), limit);
      Usage low = limiter.begin(KEY, 2);
      line.next(SETTLE_USE, LOSES_REPLY);
      assertThatThrownBy(() -> low.settle(4)).isInstanceOf(BackendException.class);
      assertThat(low.settle(4)).as("%s", limit).isEqualTo(Settlement.REPEATED);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(6);
      Usage high = limiter.begin(KEY, 3);
      line.next(SETTLE_USE, REPEATS_REQUEST);
      assertThat(high.settle(1)).isEqualTo(Settlement.COUNTED);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(5);
      Usage lost = limiter.begin(KEY, 1);
      line.next(SETTLE_USE, LOSES_REQUEST);
      assertThatThrownBy(() -> lost.settle(2)).isInstanceOf(BackendException.class);
      assertThat(lost.settle(2)).as("%s", limit).isEqualTo(Settlement.COUNTED);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(3);
    }
  }

  @Test
  default void r1_settlementsOfManyCallersCountOnceEach() throws Exception {
    RateLimiter limiter = limiter(client(), Limit.tokenBucket(100, LONG));
    List<Running<Integer>> callers = new ArrayList<>();
    for (int caller = 0; caller < 8; caller++) {
      callers.add(
          start(
              () -> {
                AtomicInteger counted = new AtomicInteger();
                for (int i = 0; i < 3; i++) {
                  Usage use = limiter.begin(KEY, 2);
                  Settlement first = use.settleAsync(3).toCompletableFuture().join();
                  Settlement second = use.settleAsync(3).toCompletableFuture().join();
                  counted.addAndGet(first == Settlement.COUNTED ? 1 : 0);
                  counted.addAndGet(second == Settlement.COUNTED ? 1 : 0);
                }
                return counted.get();
              }));
    }
    int counted = 0;
    for (Running<Integer> each : callers) {
      counted += each.result();
    }
    assertThat(counted).isEqualTo(24);
    assertThat(left(limiter)).isEqualTo(28);
  }

  @Test
  default void r1_debtDelaysTheNextCall() {
    Sluice client = client();
    for (Limit limit : each(4, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      Duration empty = begun(limiter, 4).decision().resetAfter();
      limiter.reset(KEY);
      begun(limiter, 4).settle(6);
      Decision refused = limiter.tryAcquire(KEY);
      assertThat(refused.allowed()).as("%s", limit).isFalse();
      assertThat(refused.remaining()).isZero();
      if (limit.algorithm().isBucket()) { // 3 permits must drain, at 1 in a quarter
        assertThat(refused.retryAfter())
            .isGreaterThan(LONG.dividedBy(4).multipliedBy(29).dividedBy(10));
      }
      begun(client.rateLimiter(NAME + "far" + limit.algorithm().word(), patient(limit)), 4)
          .settle(Long.MAX_VALUE); // of at most the capacity
      Decision far =
          client.rateLimiter(NAME + "far" + limit.algorithm().word(), patient(limit)).peek(KEY, 4);
      assertThat(far.resetAfter()).as("%s", limit).isLessThanOrEqualTo(empty.multipliedBy(2));
    }
  }

  private static Usage begun(RateLimiter limiter, long estimate) {
    Usage use = limiter.tryBegin(KEY, estimate);
    assertThat(use.decision().allowed()).isTrue();
    return use;
  }

  @Test
  default void r1_debtDrainsInTime() {
    Sluice client = client();
    for (Limit limit : each(4, SHORT)) {
      RateLimiter limiter = limiter(client, limit);
      begun(limiter, 4).settle(6);
      store().pass(SHORT.multipliedBy(3));
      assertThat(left(limiter)).as("%s", limit).isEqualTo(4);
    }
  }

  @Test
  default void r1_settlementAfterAResetGivesNothingBack() {
    Sluice client = client();
    for (Limit limit : each(10, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      Usage before = begun(limiter, 9);
      store().pass(SHORT);
      limiter.reset(KEY);
      limiter.tryAcquire(KEY, 5);
      before.settle(1);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(5);
    }
  }

  @Test
  default void lateSettlementChangesNothing() {
    Sluice client = client();
    Duration longest = Duration.ofSeconds(5);
    List<RateLimiter> limiters = new ArrayList<>();
    List<Usage> uses = new ArrayList<>();
    for (Limit limit : each(10, LONG)) {
      RateLimiter limiter =
          client.rateLimiter(NAME + limit.algorithm().word(), patient(limit).settleWithin(longest));
      limiters.add(limiter);
      uses.add(begun(limiter, 4));
      assertThat(begun(limiter, 2).settle(1)).as("%s", limit).isEqualTo(Settlement.COUNTED);
    }
    store().pass(longest.plusMillis(100));
    for (int i = 0; i < uses.size(); i++) {
      Usage late = uses.get(i);
      RateLimiter limiter = limiters.get(i);
      assertThat(late.settle(9)).as(limiter.name()).isEqualTo(Settlement.LATE);
      assertThat(late.refund()).isEqualTo(Settlement.LATE);
      assertThat(left(limiter)).as(limiter.name()).isEqualTo(5);
      assertThat(limiter.stats().settlements())
          .isEqualTo(new SettlementStats(1, 0, 0, 2, 0, 0, 1, 0));
    }
  }

  @Test
  default void r2_requestsAndTokensAreOneDecision() {
    FlakyBackend line = line();
    Limit requests = Limit.slidingWindow(3, LONG).name("requests").perCall();
    Limit tokens = Limit.tokenBucket(1000, LONG).name("tokens");
    RateLimiter limiter = client(line).rateLimiter(NAME, patient(requests, tokens));
    Usage first = begun(limiter, 800);
    Usage refused = limiter.tryBegin(KEY, 800);
    assertThat(refused.decision().allowed()).isFalse();
    assertThat(refused.decision().refusedBy()).contains("tokens");
    assertThat(first.settle(300)).isEqualTo(Settlement.COUNTED);
    assertThat(line.calls(DECIDE)).isEqualTo(2);
    assertThat(line.calls(SETTLE_USE)).isOne();
    assertThat(limiter.peek(KEY, 700).allowed()).isTrue();
    assertThat(limiter.peek(KEY, 701).allowed()).isFalse();
    assertThat(begun(limiter, 100).refund()).isEqualTo(Settlement.COUNTED);
    begun(limiter, 1).settle(0); // it was a request
    begun(limiter, 1).settle(1);
    Decision fourth = limiter.tryAcquire(KEY, 1);
    assertThat(fourth.refusedBy()).contains("requests");
    limiter.refund(KEY, 1);
    assertThat(limiter.tryAcquire(KEY, 500).allowed()).isTrue();
  }

  @Test
  default void r2_sharedTierIsSettledToo() {
    Sluice client = client();
    for (Limit total : each(100, LONG)) {
      Limit user = Limit.slidingWindow(50, LONG).name("user");
      RateLimiter limiter =
          client.rateLimiter(
              NAME + total.algorithm().word(), patient(user, total.name("total").shared()));
      Usage use = limiter.begin("a", 40);
      limiter.begin("b", 50).settle(55);
      assertThat(use.settle(1)).isEqualTo(Settlement.COUNTED);
      assertThat(limiter.peek("c", 44).allowed()).as("%s", total).isTrue();
      assertThat(limiter.peek("c", 45).refusedBy()).as("%s", total).contains("total");
      assertThat(limiter.peek("a", 50).refusedBy()).as("%s", total).isPresent();
    }
  }

  /** Tests consecutive uses: the refill of a bucket is deducted from the refund of each. */
  @Test
  default void r1_anotherProcessSettlesByTheId() {
    for (Limit limit : each(10, LONG)) {
      Sluice began = client();
      RateLimiter first = limiter(began, limit);
      RateLimiter limiter = limiter(client(), limit);
      Usage high = first.begin(KEY, 4);
      assertThat(limiter.settle(KEY, high.id(), 1)).as("%s", limit).isEqualTo(Settlement.COUNTED);
      assertThat(limiter.settle(KEY, high.id(), 1)).isEqualTo(Settlement.REPEATED);
      assertThat(high.settle(1)).isEqualTo(Settlement.REPEATED);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(9);
      Usage low = first.begin(KEY, 1);
      assertThat(ended(limiter.async().settle(KEY, low.id(), 3))).isEqualTo(Settlement.COUNTED);
      assertThat(limiter.refund(KEY, low.id())).isEqualTo(Settlement.REPEATED);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(6);
      Usage unused = first.begin(KEY, 3);
      assertThat(unused.refund()).isEqualTo(Settlement.COUNTED);
      assertThat(limiter.refund(KEY, unused.id())).isEqualTo(Settlement.REPEATED);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(6);
      String lost = first.begin(KEY, 1).id();
      began.close(); // its process ends
      assertThat(ended(limiter.async().refund(KEY, lost))).isEqualTo(Settlement.COUNTED);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(6);
      assertThat(limiter.stats().settlements())
          .isEqualTo(new SettlementStats(2, 1, 3, 0, 0, 0, 4, 2));
    }
  }

  @Test
  default void r1_settlementByTheIdThatArrivesTwiceCountsOnce() {
    FlakyBackend line = line();
    Limit limit = Limit.slidingWindow(10, LONG);
    RateLimiter limiter = limiter(client(line), limit);
    String id = limiter(client(), limit).begin(KEY, 2).id();
    line.next(SETTLE_USE, LOSES_REPLY);
    assertThatThrownBy(() -> limiter.settle(KEY, id, 6)).isInstanceOf(BackendException.class);
    assertThat(limiter.settle(KEY, id, 6)).isEqualTo(Settlement.REPEATED);
    assertThat(left(limiter)).isEqualTo(4);
  }

  /** The time to settle is that of the process that began the use. */
  @Test
  default void lateSettlementByTheIdChangesNothing() {
    Limit limit = Limit.slidingWindow(10, LONG);
    RateLimiterOptions options = patient(limit).settleWithin(Duration.ofSeconds(1));
    String id = client().rateLimiter(NAME, options).begin(KEY, 4).id();
    RateLimiter limiter = client().rateLimiter(NAME, options.settleWithin(Duration.ofHours(1)));
    store().pass(Duration.ofMillis(1100));
    assertThat(limiter.settle(KEY, id, 9)).isEqualTo(Settlement.LATE);
    assertThat(limiter.refund(KEY, id)).isEqualTo(Settlement.LATE);
    assertThat(left(limiter)).isEqualTo(6);
  }

  @Test
  default void r1_idUnderOtherLimitsGivesNothingBack() {
    Sluice old = client();
    Sluice renewed = client();
    List<Limit> wider = each(20, LONG);
    for (Limit wide : wider) {
      String name = NAME + wide.algorithm().word();
      Limit limit = each(10, LONG).get(wider.indexOf(wide));
      RateLimiter before = old.rateLimiter(name, patient(limit).version(1, CarryOver.KEEP));
      RateLimiter after = renewed.rateLimiter(name, patient(wide).version(2, CarryOver.KEEP));
      String high = before.begin(KEY, 4).id();
      String unused = before.begin(KEY, 2).id();
      String low = before.begin(KEY, 1).id();
      assertThat(after.tryAcquire(KEY).remaining()).as("%s", limit).isEqualTo(12);
      assertThat(after.settle(KEY, high, 1)).isEqualTo(Settlement.COUNTED);
      assertThat(after.refund(KEY, unused)).isEqualTo(Settlement.COUNTED);
      assertThat(after.settle(KEY, low, 6)).isEqualTo(Settlement.COUNTED);
      assertThat(left(after)).as("%s", limit).isEqualTo(7);
      assertThat(before.settle(KEY, high, 1)).isEqualTo(Settlement.REPEATED);
    }
  }

  @Test
  default void idOfAnotherKeyOrLimiterIsRefusedBeforeTheNetwork() {
    FlakyBackend line = line();
    Sluice client = client(line);
    RateLimiter limiter = limiter(client, Limit.gcra(5, LONG));
    String id = limiter.begin(KEY, 3).id();
    assertThat(id).matches("[A-Za-z0-9._-]{1,128}");
    String altered = (id.charAt(0) == 'a' ? "b" : "a") + id.substring(1);
    assertMisuse(() -> limiter.settle(KEY, altered, 1), "usage id does not belong to");
    assertMisuse(() -> limiter.settle(KEY, "", 1), "usage id does not belong to");
    assertMisuse(() -> limiter.refund(KEY + "8", id), "usage id does not belong to");
    assertMisuse(() -> limiter.settle(KEY, id, -1), "actual must be >= 0: -1");
    RateLimiter other = limiter(client, Limit.fixedWindow(5, LONG));
    assertMisuse(() -> other.settle(KEY, id, 1), "usage id does not belong to");
    RateLimiter queue = client.rateLimiter(NAME + "q", patient(Limit.leakyQueue(1, SHORT)));
    assertMisuse(() -> queue.settle(KEY, id, 1), "token-bucket");
    assertThat(line.calls(SETTLE_USE)).isZero();
    assertThat(left(limiter)).isEqualTo(2);
    client.close();
    assertThatThrownBy(() -> limiter.settle(KEY, id, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("this Sluice is closed");
  }

  @Test
  default void idOfAUseThatTheStoreDoesNotHoldChangesNothing() {
    FlakyBackend line = line();
    RateLimiter limiter =
        client(line).rateLimiter(NAME, patient(Limit.slidingWindow(5, LONG)).outage(Outage.open()));
    line.next(DECIDE, LOSES_REQUEST);
    String admitted = limiter.begin(KEY, 3).id();
    limiter.tryAcquire(KEY, 5);
    String refused = limiter.tryBegin(KEY, 1).id();
    assertThat(limiter.settle(KEY, admitted, 1)).isEqualTo(Settlement.NOT_HELD);
    assertThat(limiter.refund(KEY, refused)).isEqualTo(Settlement.NOT_HELD);
    assertThat(left(limiter)).isZero();
  }

  @Test
  default void refusedUseIsAValueOrAnException() {
    Sluice client = client();
    for (Limit limit : each(2, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      limiter.tryAcquire(KEY, 2);
      Usage refused = limiter.tryBegin(KEY, 1);
      assertThat(refused.decision().allowed()).isFalse();
      assertThat(refused.decision().retryAfter()).isPositive();
      assertThatThrownBy(() -> refused.settle(1)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(refused::refund).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> limiter.begin(KEY, 1))
          .isInstanceOfSatisfying(
              RateLimitedException.class,
              thrown -> assertThat(thrown.decision().allowed()).isFalse())
          .hasMessageContaining(limiter.name());
      assertThat(limiter.async().begin(KEY, 1))
          .failsWithin(AGES)
          .withThrowableThat()
          .withCauseInstanceOf(RateLimitedException.class);
      assertThat(ended(limiter.async().tryBegin(KEY, 1)).decision().allowed()).isFalse();
    }
  }

  @Test
  default void asynchronousSettlementIsTheSame() {
    Sluice client = client();
    for (Limit limit : each(5, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      Usage use = ended(limiter.async().begin(KEY, 3));
      assertThat(ended(use.settleAsync(1))).isEqualTo(Settlement.COUNTED);
      Usage unused = ended(limiter.async().tryBegin(KEY, 3));
      assertThat(ended(unused.refundAsync())).isEqualTo(Settlement.COUNTED);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(4);
      assertThat(limiter.stats().allowed()).isEqualTo(2);
    }
  }

  @Test
  default void misuseOfASettlementIsRefusedBeforeTheNetwork() {
    FlakyBackend line = line();
    Sluice client = client(line);
    RateLimiter limiter = limiter(client, Limit.gcra(5, LONG));
    Usage use = limiter.begin(KEY, 1);
    int before = line.calls(DECIDE);
    assertMisuse(() -> limiter.begin(KEY, 0), "cost must be >= 1: 0");
    assertMisuse(() -> limiter.tryBegin(KEY, 6), "cost must be <= 5");
    assertMisuse(() -> limiter.tryBegin("", 1), "key");
    assertMisuse(() -> use.settle(-1), "actual must be >= 0: -1");
    RateLimiter queue = client.rateLimiter(NAME + "q", patient(Limit.leakyQueue(1, SHORT)));
    assertMisuse(() -> queue.begin(KEY, 1), "token-bucket");
    assertThat(line.calls(DECIDE)).isEqualTo(before);
    assertThat(line.calls(SETTLE_USE)).isZero();
    client.close();
    assertThatThrownBy(() -> use.settle(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("this Sluice is closed");
  }

  @Test
  default void r1_settlementsAreCounted() {
    FlakyBackend line = line();
    Limit limit = Limit.slidingWindow(100, LONG);
    RateLimiterOptions options = patient(limit).outage(Outage.open());
    RateLimiter limiter = client(line).rateLimiter(NAME, options);
    assertThat(limiter.stats().settlements())
        .isEqualTo(new SettlementStats(0, 0, 0, 0, 0, 0, 0, 0));
    Usage high = limiter.begin(KEY, 10);
    high.settle(3);
    high.settle(99);
    Usage low = limiter.begin(KEY, 10);
    line.next(SETTLE_USE, LOSES_REPLY);
    assertThatThrownBy(() -> low.settle(15)).isInstanceOf(BackendException.class);
    low.settle(15);
    limiter.begin(KEY, 4).settle(4);
    limiter.begin(KEY, 2).settle(Long.MAX_VALUE - 1); // as much as a key can be in debt
    limiter.reset(KEY);
    limiter.begin(KEY, 20).refund();
    line.next(DECIDE, LOSES_REQUEST);
    limiter.begin(KEY, 3).refund();
    SettlementStats stats = limiter.stats().settlements();
    assertThat(stats.settled()).isEqualTo(3);
    assertThat(stats.refunded()).isOne();
    assertThat(stats.repeated()).isEqualTo(2);
    assertThat(stats.late()).isZero();
    assertThat(stats.notHeld()).isOne();
    assertThat(stats.failed()).isOne();
    assertThat(stats.overestimated()).isEqualTo(7 + 20);
    assertThat(stats.underestimated()).isGreaterThan(100).isLessThan(Long.MAX_VALUE / 1000);
  }

  private void assertMisuse(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String text) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }

  @Test
  default void r5_useThatTheOutagePolicyLetBeginIsNotHeld() {
    FlakyBackend line = line();
    RateLimiter limiter =
        client(line).rateLimiter(NAME, patient(Limit.slidingWindow(5, LONG)).outage(Outage.open()));
    line.next(DECIDE, LOSES_REQUEST);
    Usage use = limiter.begin(KEY, 3);
    assertThat(use.decision().source()).isEqualTo(Decision.Source.FALLBACK);
    assertThat(use.settle(5)).isEqualTo(Settlement.NOT_HELD);
    assertThat(line.calls(SETTLE_USE)).isZero();
    assertThat(left(limiter)).isEqualTo(5);
  }
}
