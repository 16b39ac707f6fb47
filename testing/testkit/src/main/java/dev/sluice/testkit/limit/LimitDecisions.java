package dev.sluice.testkit.limit;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.DECIDE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimitedException;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterStats;
import dev.sluice.limit.Reservation;
import dev.sluice.limit.ThrottleReply;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The reply of each verb, for every algorithm.
 *
 * @since 0.1
 */
public interface LimitDecisions extends LimitContract {
  Duration MINUTES = Duration.ofMinutes(10);

  @Test
  default void r1_capacityPassesAndTheNextIsRefused() {
    Sluice first = client();
    Sluice second = client();
    for (Limit limit : each(5, LONG)) {
      RateLimiter a = limiter(first, limit);
      RateLimiter other = limiter(second, limit);
      for (int left = 4; left >= 0; left--) {
        Decision decision = (left % 2 == 0 ? a : other).tryAcquire(KEY);
        assertThat(decision.allowed()).as("%s", limit).isTrue();
        assertThat(decision.remaining()).as("%s", limit).isEqualTo(left);
        assertThat(decision.limit()).isEqualTo(5);
        assertThat(decision.retryAfter()).isZero();
        assertThat(decision.resetAfter()).isPositive();
        assertThat(decision.refusedBy()).isEmpty();
        assertThat(decision.source()).isEqualTo(Decision.Source.STORE);
      }
      for (RateLimiter each : List.of(a, other)) {
        Decision refused = each.tryAcquire(KEY);
        assertThat(refused.allowed()).as("%s", limit).isFalse();
        assertThat(refused.remaining()).isZero();
        assertThat(refused.refusedBy()).contains("1");
        assertThat(refused.retryAfter())
            .as("%s", limit)
            .isPositive()
            .isLessThanOrEqualTo(LONG.multipliedBy(11).dividedBy(10));
      }
    }
  }

  @Test
  default void r1_costIsTakenWholeOrNotAtAll() {
    Sluice client = client();
    for (Limit limit : each(5, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      assertThat(limiter.tryAcquire(KEY, 3).remaining()).as("%s", limit).isEqualTo(2);
      assertThat(limiter.tryAcquire(KEY, 3).allowed()).as("%s", limit).isFalse();
      assertThat(limiter.tryAcquire(KEY, 2).allowed()).as("%s", limit).isTrue();
    }
  }

  @Test
  default void r1_lookingTakesNothing() {
    Sluice client = client();
    for (Limit limit : each(2, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      for (int i = 0; i < 5; i++) {
        assertThat(limiter.tryAcquire(KEY, 0).remaining()).as("%s", limit).isEqualTo(2);
        assertThat(limiter.peek(KEY, 2).allowed()).as("%s", limit).isTrue();
      }
      drain(limiter, 2);
      assertThat(limiter.tryAcquire(KEY, 0).allowed()).as("%s", limit).isTrue();
      assertThat(limiter.peek(KEY, 1).allowed()).as("%s", limit).isFalse();
      assertThat(limiter.peek(KEY, 1).retryAfter()).isPositive();
    }
  }

  @Test
  default void r1_refusalsAreNotCounted() {
    Sluice client = client();
    for (Limit limit : each(3, SHORT)) {
      RateLimiter limiter = limiter(client, limit);
      Decision refused = drain(limiter, 100);
      within( // a caller that polls must not wait for ever
          limit + " lets pass after " + refused,
          SHORT.multipliedBy(3),
          () -> limiter.tryAcquire(KEY).allowed());
    }
  }

  @Test
  default void r1_misuseIsRefusedBeforeTheNetwork() {
    FlakyBackend line = line();
    Sluice client = client(line);
    for (Limit limit : each(5, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      assertMisuse(() -> limiter.tryAcquire(KEY, 6), "cost must be <= 5");
      assertMisuse(() -> limiter.peek(KEY, 6), "cost must be <= 5");
      assertMisuse(() -> limiter.reserve(KEY, 6, LONG), "cost must be <= 5");
      assertMisuse(() -> limiter.tryAcquire(KEY, 6, LONG), "cost must be <= 5");
      assertMisuse(() -> limiter.refund(KEY, 6), "cost must be <= 5");
      assertMisuse(() -> limiter.tryAcquire(KEY, -1), "cost must be >= 0: -1");
      assertMisuse(() -> limiter.refund(KEY, 0), "cost must be >= 1: 0");
      assertMisuse(() -> limiter.tryAcquire(KEY, 0, LONG), "cost must be >= 1: 0");
      assertMisuse(() -> limiter.tryAcquire(KEY, 1, Duration.ofMillis(-1)), "wait must not be");
      for (String key : List.of("", "x".repeat(513), "\ud800")) {
        assertMisuse(() -> limiter.tryAcquire(key), "key");
        assertMisuse(() -> limiter.reset(key), "key");
      }
    }
    assertMisuse(() -> client.rateLimiter("", Limit.gcra(1, LONG)), "name");
    assertThat(line.calls(DECIDE)).isZero();
  }

  private void assertMisuse(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String text) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }

  @Test
  default void r1_keysAndLimitersAreApart() {
    Sluice client = client();
    RateLimiter one = client.rateLimiter(NAME, patient(Limit.gcra(2, LONG)));
    RateLimiter other = client.rateLimiter(NAME + "}", patient(Limit.gcra(2, LONG)));
    drain(one, 2);
    assertThat(one.tryAcquire(KEY + "%").allowed()).isTrue();
    assertThat(one.tryAcquire("\n{}").allowed()).isTrue();
    assertThat(one.tryAcquire("x".repeat(512)).allowed()).isTrue();
    assertThat(other.tryAcquire(KEY).allowed()).isTrue();
    assertThat(one.tryAcquire(KEY).allowed()).isFalse();
  }

  @Test
  default void r1_permitsComeBackInTime() {
    Sluice client = client();
    for (Limit limit : each(3, SHORT)) {
      RateLimiter limiter = limiter(client, limit);
      Decision refused = drain(limiter, 100);
      store().pass(refused.retryAfter());
      assertThat(limiter.tryAcquire(KEY).allowed()).as("%s", limit).isTrue();
      store().pass(SHORT.multipliedBy(2));
      assertThat(left(limiter)).as("%s", limit).isEqualTo(3);
    }
  }

  @Test
  default void r1_nothingIsForgottenBeforeItsTime() {
    Sluice client = client();
    for (Limit limit : each(3, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      drain(limiter, 3);
      store().pass(SHORT);
      assertThat(limiter.tryAcquire(KEY).allowed()).as("%s", limit).isFalse();
    }
  }

  @Test
  default void r1_whoWaitsPassesInItsTimeInOneTrip() throws Exception {
    for (Limit limit : each(2, SHORT)) {
      FlakyBackend line = line();
      RateLimiter limiter = limiter(client(line), limit);
      drain(limiter, 100);
      int before = line.calls(DECIDE);
      Running<Decision> waiting = start(() -> limiter.tryAcquire(KEY, 1, AGES));
      within("it passes", SHORT.multipliedBy(4), () -> waiting.future().isDone());
      assertThat(waiting.result().allowed()).as("%s", limit).isTrue();
      assertThat(line.calls(DECIDE)).as("it asked once").isEqualTo(before + 1);
    }
  }

  @Test
  default void r1_waitThatIsTooLongIsRefusedAtOnceAndTakesNothing() throws Exception {
    Sluice client = client();
    for (Limit limit : each(2, MINUTES)) {
      RateLimiter limiter = limiter(client, limit);
      drain(limiter, 4);
      Decision refused = limiter.tryAcquire(KEY, 1, Duration.ofMillis(1));
      assertThat(refused.allowed()).as("%s", limit).isFalse();
      assertThat(refused.retryAfter()).isPositive();
      assertThatThrownBy(() -> limiter.acquire(KEY, 1, Duration.ofMillis(1)))
          .isInstanceOfSatisfying(
              RateLimitedException.class,
              thrown -> assertThat(thrown.decision().allowed()).isFalse())
          .hasMessageContaining(limiter.name());
      assertThat(limiter.async().acquire(KEY, 1, Duration.ofMillis(1)))
          .failsWithin(AGES)
          .withThrowableThat()
          .withCauseInstanceOf(RateLimitedException.class);
      Reservation first = limiter.reserve(KEY, 1, Duration.ofMinutes(30));
      assertThat(first.decision().allowed()).as("%s", limit).isTrue();
      assertThat(first.delay()).as("%s", limit).isLessThanOrEqualTo(refused.retryAfter());
    }
  }

  @Test
  default void r1_placesComeOneAfterTheOther() {
    Sluice client = client();
    for (Limit limit : each(1, MINUTES)) {
      RateLimiter limiter = limiter(client, limit);
      drain(limiter, 2);
      Reservation first = limiter.reserve(KEY, 1, Duration.ofMinutes(50));
      Reservation second = limiter.reserve(KEY, 1, Duration.ofMinutes(50));
      assertThat(first.decision().allowed()).as("%s", limit).isTrue();
      assertThat(second.decision().allowed()).as("%s", limit).isTrue();
      assertThat(second.delay())
          .as("%s", limit)
          .isGreaterThan(first.delay().plus(MINUTES.multipliedBy(9).dividedBy(10)));
      assertThat(limiter.tryAcquire(KEY).allowed()).as("%s", limit).isFalse();
      second.cancel();
      second.cancel();
      assertThat(second.delay()).isZero();
    }
  }

  @Test
  default void r1_interruptEndsTheWait() throws Exception {
    FlakyBackend line = line();
    RateLimiter limiter = limiter(client(line), Limit.gcra(1, MINUTES));
    limiter.tryAcquire(KEY);
    Running<Decision> waiting = start(() -> limiter.tryAcquire(KEY, 1, Duration.ofMinutes(50)));
    until("it has a place", () -> limiter.peek(KEY, 1).retryAfter().compareTo(MINUTES) > 0);
    waiting.thread().interrupt();
    assertThatThrownBy(waiting::result)
        .cause()
        .isInstanceOf(InterruptedException.class)
        .hasMessageStartingWith("interrupted while waiting for ");

    int before = line.calls(DECIDE);
    Running<Boolean> onEntry =
        start(
            () -> {
              Thread.currentThread().interrupt();
              assertThatThrownBy(() -> limiter.tryAcquire(KEY, 1, MINUTES))
                  .isInstanceOf(InterruptedException.class);
              return Thread.interrupted();
            });
    assertThat(onEntry.result()).isFalse();
    assertThat(line.calls(DECIDE)).isEqualTo(before);
  }

  @Test
  default void r1_refundNeverGoesAboveTheCapacity() {
    Sluice client = client();
    for (Limit limit : each(5, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      limiter.tryAcquire(KEY, 3);
      limiter.refund(KEY, 2);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(4);
      limiter.refund(KEY, 5);
      limiter.refund(KEY, 5);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(5);
      drain(limiter, 5);
    }
  }

  @Test
  default void r1_resetForgetsOneKey() {
    Sluice client = client();
    for (Limit limit : each(2, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      drain(limiter, 2);
      limiter.tryAcquire("other", 2);
      limiter.reset(KEY);
      assertThat(left(limiter)).as("%s", limit).isEqualTo(2);
      assertThat(limiter.peek("other", 1).allowed()).as("%s", limit).isFalse();
    }
  }

  @Test
  default void r1_asynchronousFormIsTheSame() {
    Sluice client = client();
    for (Limit limit : each(3, LONG)) {
      RateLimiter limiter = limiter(client, limit);
      var async = limiter.async();
      assertThat(ended(async.tryAcquire(KEY, 2)).remaining()).isOne();
      assertThat(ended(async.peek(KEY, 2)).allowed()).isFalse();
      ended(async.refund(KEY, 1));
      assertThat(ended(async.reserve(KEY, 2, SHORT)).delay()).isZero();
      assertThat(ended(async.tryAcquire(KEY, 1, SHORT)).allowed()).isFalse();
      ended(async.reset(KEY));
      assertThat(left(limiter)).as("%s", limit).isEqualTo(3);
    }
  }

  @Test
  default void r1_callsAreCounted() {
    RateLimiter limiter = limiter(client(), Limit.slidingLog(3, LONG));
    drain(limiter, 3);
    RateLimiterStats stats = limiter.stats();
    assertThat(stats.allowed()).isEqualTo(3);
    assertThat(stats.refused()).isOne();
    assertThat(stats.trips()).isEqualTo(4);
    assertThat(stats.fromFallback() + stats.fromLease() + stats.fromMemo()).isZero();
    assertThat(stats.clockSteps()).isZero();
  }

  @Test
  default void r1_closingEndsEveryWait() {
    FlakyBackend line = line();
    Sluice client = client(line);
    RateLimiter limiter = limiter(client, Limit.gcra(1, MINUTES));
    limiter.tryAcquire(KEY);
    Running<Decision> waiting = start(() -> limiter.tryAcquire(KEY, 1, Duration.ofMinutes(50)));
    until("it has a place", () -> limiter.peek(KEY, 1).retryAfter().compareTo(MINUTES) > 0);
    line.next(DECIDE, HOLDS_REQUEST);
    Running<Decision> asking = start(() -> limiter.tryAcquire(KEY));
    until("it is on its way", () -> line.heldCalls() == 1);
    Running<Decision> behind = start(() -> limiter.tryAcquire(KEY));
    until("it waits", () -> behind.thread().getState() == Thread.State.WAITING);
    client.close();
    for (Running<Decision> each : List.of(waiting, asking, behind)) {
      assertThatThrownBy(each::result)
          .cause()
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("this Sluice is closed");
    }
    assertThatThrownBy(() -> limiter.tryAcquire(KEY)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  default void r1_throttleAnswersFiveValues() {
    Sluice client = client();
    long start = store().nanos();
    for (int left = 15; left >= 0; left--) {
      ThrottleReply reply = client.throttle().clThrottle(KEY, 15, 1, 86_400, 1);
      long full = 86_400L * (16 - left);
      long passed = Duration.ofNanos(store().nanos() - start).toSeconds(); // it drains meanwhile
      assertThat(reply.resetAfter()).isBetween(full - passed, full);
      assertThat(reply).isEqualTo(new ThrottleReply(0, 16, left, -1, reply.resetAfter()));
    }
    ThrottleReply refused = client.throttle().clThrottle(KEY, 15, 1, 86_400, 1);
    assertThat(refused.limited()).isOne();
    assertThat(refused.remaining()).isZero();
    assertThat(refused.retryAfter()).isBetween(86_000L, 86_400L);
    assertThat(client.throttle().clThrottle(KEY, 15, 1, 86_400, 17).retryAfter()).isEqualTo(-1);
    assertThat(client.throttle().clThrottle(KEY, 15, 1, 86_400, -100).resetAfter()).isZero();
    assertThat(client.throttle().clThrottle(KEY, 15, 1, 86_400, 0).remaining()).isEqualTo(16);
    assertMisuse(() -> client.throttle().clThrottle(KEY, 15, 0, 60, 1), "count must be >= 1");
    assertMisuse(() -> client.throttle().clThrottle("", 15, 1, 60, 1), "key");
  }
}
