package dev.sluice.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Limits by plan: who calls the function, when, and what if it fails. */
class LimitPlansTest {
  private static final Limit FREE = Limit.parse("fixed-window 3/1d");
  private static final Limit PRO = Limit.parse("fixed-window 1000/1d");

  private final ManualTime time = new ManualTime();
  private final Sluice sluice =
      Sluice.builder().backend(new MemoryBackend(time::storeMicros)).time(time, time).build();

  @AfterEach
  void close() {
    sluice.close();
  }

  private static RateLimiterOptions withPro() {
    return RateLimiterOptions.of(FREE).plan("pro", PRO);
  }

  @Test
  void functionIsCalledOnceForEachDecisionOnTheThreadOfTheCaller() {
    List<String> calls = new ArrayList<>();
    Thread caller = Thread.currentThread();
    LimitPlans plans =
        key -> {
          assertThat(Thread.currentThread()).isSameAs(caller);
          calls.add(key);
          return "pro";
        };
    RateLimiter limiter =
        sluice.rateLimiter("api", withPro().planOf(plans).override("own", FREE).leasing());
    for (int i = 0; i < 50; i++) { // some of them from permits that were taken in advance
      limiter.tryAcquire("key");
      time.advance(Duration.ofMillis(10));
    }
    time.advance(Duration.ofMinutes(1)); // the key becomes idle
    assertThat(calls).hasSize(50);
    limiter.tryAcquire("own");
    assertThat(calls).as("an override needs no plan").hasSize(50);

    RateLimiter without = sluice.rateLimiter("none", RateLimiterOptions.of(FREE).planOf(plans));
    assertThat(without.tryAcquire("key").limit()).isEqualTo(3);
    assertThat(calls).as("there are no plans").hasSize(50);
  }

  @Test
  void permitsTakenInAdvanceUnderOnePlanAreNotUsedUnderAnother() {
    Map<String, String> plans = new HashMap<>();
    RateLimiter limiter =
        sluice.rateLimiter(
            "api",
            RateLimiterOptions.of(Limit.parse("fixed-window 5/1d"))
                .plan("pro", PRO)
                .planOf(plans::get)
                .leasing());
    plans.put("key", "pro");
    boolean leased = false;
    for (int i = 0; i < 50; i++) {
      leased |= limiter.tryAcquire("key").source() == Decision.Source.LEASE;
      time.advance(Duration.ofMillis(1));
    }
    assertThat(leased).isTrue();
    plans.clear();
    assertThat(limiter.tryAcquire("key").allowed()).isFalse();
    plans.put("key", "pro");
    assertThat(limiter.tryAcquire("key").allowed()).isTrue();
  }

  @Test
  void functionThatFailsCountsNothing() {
    IllegalStateException away = new IllegalStateException("accounts are away");
    boolean[] fails = {true};
    RateLimiter limiter =
        sluice.rateLimiter(
            "api",
            withPro()
                .outage(Outage.open())
                .planOf(
                    key -> {
                      if (fails[0]) {
                        throw away;
                      }
                      return null;
                    }));
    List<ThrowingCallable> calls =
        List.of(
            () -> limiter.tryAcquire("key"),
            () -> limiter.peek("key", 1),
            () -> limiter.tryAcquire("key", 1, Duration.ofSeconds(1)),
            () -> limiter.reserve("key", 1, Duration.ofSeconds(1)),
            () -> limiter.begin("key", 1),
            () -> limiter.refund("key", 1),
            () -> limiter.reset("key"),
            () -> limiter.limitsOf("key"),
            () -> limiter.async().tryAcquire("key"));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isExactlyInstanceOf(SluiceException.class)
          .hasCause(away)
          .hasMessage(
              "rate limiter 'api': the LimitPlans function failed, and nothing was counted: "
                  + away);
    }
    fails[0] = false;
    assertThat(limiter.peek("key", 1).remaining()).isEqualTo(3);
    assertThat(limiter.stats().allowed()).isZero();
  }

  @Test
  void planWithoutLimitsHasTheCommonOnesAndIsWarnedOfOnce() {
    List<String> lines = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getLevel() + " " + line.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger("dev.sluice.limit");
    Level before = log.getLevel();
    log.setLevel(Level.ALL); // others may have silenced it
    log.addHandler(handler);
    try {
      RateLimiter limiter = sluice.rateLimiter("api", withPro().planOf(key -> key));
      assertThat(limiter.tryAcquire("PRO").limit()).isEqualTo(3);
      assertThat(limiter.tryAcquire("PRO").limit()).isEqualTo(3);
      assertThat(limiter.limitsOf("PRO")).containsExactly(FREE);
      assertThat(limiter.limitsOf("pro")).containsExactly(PRO);
      assertThat(lines)
          .containsExactly(
              "WARNING rate limiter 'api' has no limits for plan 'PRO': its keys get the limits of"
                  + " keys without a plan");
      for (int i = 0; i < 1000; i++) {
        limiter.limitsOf("plan " + i);
      }
      assertThat(lines).hasSize(100);
    } finally {
      log.removeHandler(handler);
      log.setLevel(before);
    }
  }

  @Test
  void badPlansAreRefused() {
    Limit total = Limit.parse("fixed-window 9/1d shared");
    RateLimiterOptions shared = RateLimiterOptions.of(FREE, total);
    assertThatThrownBy(() -> shared.plan("pro", PRO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("plan 'pro' must have the same shared tiers as the others: [");
    assertThatCode(() -> shared.plan("pro", PRO, total)).doesNotThrowAnyException();
    assertThatThrownBy(() -> withPro().plan("none"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("limits must be 1 to 8: 0");
    assertThatThrownBy(() -> withPro().plan("q", PRO, Limit.parse("leaky-queue 1/s")))
        .hasMessageStartingWith("a leaky queue must be the only limit of its limiter");
    assertThatThrownBy(() -> sluice.rateLimiter("api", withPro()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rate limiter 'api' has plans [pro], but planOf is not set");
    RateLimiter limiter = sluice.rateLimiter("api", FREE);
    assertThatThrownBy(() -> limiter.update(withPro()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(limiter.options()).isEqualTo(RateLimiterOptions.of(FREE));
  }

  @Test
  void optionsWithOtherPlansAreAnotherPolicy() {
    LimitPlans plans = key -> null;
    assertThat(withPro().planOf(plans))
        .isEqualTo(withPro().planOf(plans))
        .hasSameHashCodeAs(withPro().planOf(plans));
    assertThat(withPro()).isNotEqualTo(withPro().planOf(plans));
    assertThat(withPro().planOf()).isEmpty();
    assertThat(withPro().planOf(plans).planOf()).contains(plans);
    assertThat(withPro()).isNotEqualTo(withPro().plan("pro", FREE));
    assertThat(withPro().plans(Map.of())).isEqualTo(RateLimiterOptions.of(FREE));
    assertThat(withPro().plans()).isEqualTo(Map.of("pro", List.of(PRO)));
  }
}
