package dev.sluice.testkit.limit;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Verb.DECIDE;
import static dev.sluice.testkit.FlakyBackend.Verb.ENTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Outage;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.testkit.FlakyBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;

/**
 * Tests of an unreachable store: deadline, policy, breaker, recovery.
 *
 * @since 0.1
 */
public interface LimitOutages extends LimitContract {
  Duration DEADLINE = Duration.ofMillis(100);

  private RateLimiterOptions options(Outage outage, Limit... limits) {
    return RateLimiterOptions.of(limits).deadline(DEADLINE).outage(outage);
  }

  @Test
  default void r5_everyCallIsAnsweredWithinTheDeadlineByThePolicy() throws Exception {
    for (Outage outage : List.of(Outage.open(), Outage.closed())) {
      for (FlakyBackend.Fault broken : List.of(HOLDS_REQUEST, HOLDS_REPLY, LOSES_REQUEST)) {
        FlakyBackend line = line();
        RateLimiter limiter = client(line).rateLimiter(NAME, options(outage, Limit.gcra(5, LONG)));
        line.set(DECIDE, broken);
        List<Running<Decision>> calls =
            List.of(
                start(() -> limiter.tryAcquire(KEY)),
                start(() -> limiter.tryAcquire(KEY, 0)),
                start(() -> limiter.peek("other", 1)),
                start(() -> limiter.tryAcquire("third", 1, AGES)),
                start(() -> limiter.reserve("fourth", 1, AGES).decision()));
        for (Running<Decision> call : calls) {
          within("it is answered", DEADLINE.multipliedBy(3), () -> call.future().isDone());
          Decision decision = call.result();
          assertThat(decision.allowed()).as("%s", outage).isEqualTo(outage.equals(Outage.open()));
          assertThat(decision.source()).isEqualTo(Decision.Source.FALLBACK);
          assertThat(decision.retryAfter().isZero()).isEqualTo(decision.allowed());
        }
        assertThat(limiter.stats().fromFallback()).isEqualTo(5);
      }
    }
  }

  @Test
  default void r5_waiterBehindOthersIsAnsweredWithinTheDeadlineToo() throws Exception {
    Duration deadline = Duration.ofSeconds(2);
    FlakyBackend line = line();
    RateLimiter limiter =
        client(line)
            .rateLimiter(NAME, options(Outage.closed(), Limit.gcra(9, LONG)).deadline(deadline));
    line.set(DECIDE, HOLDS_REQUEST);
    List<Running<Decision>> calls = new ArrayList<>();
    for (int cost = 1; cost < 9; cost++) { // each of these is a separate request
      long each = cost;
      calls.add(start(() -> limiter.tryAcquire(KEY, each)));
    }
    within(
        "all are answered",
        deadline.multipliedBy(3),
        () -> calls.stream().allMatch(call -> call.future().isDone()));
    for (Running<Decision> call : calls) {
      assertThat(call.result().source()).isEqualTo(Decision.Source.FALLBACK);
    }
    assertThat(limiter.stats().fromFallback()).isEqualTo(8);
    assertThat(line.calls(DECIDE)).as("requests without a caller").isLessThanOrEqualTo(2);
  }

  @Test
  default void r5_queueIsAnsweredByThePolicyToo() {
    for (Outage outage : List.of(Outage.open(), Outage.closed())) {
      FlakyBackend line = line();
      RateLimiter queue =
          client(line)
              .rateLimiter(
                  NAME, options(outage, Limit.leakyQueue(1, Duration.ofMinutes(1)).places(5)));
      line.set(ENTER, LOSES_REQUEST);
      Decision decision = queue.tryAcquire(KEY);
      assertThat(decision.allowed()).isEqualTo(outage.equals(Outage.open()));
      assertThat(decision.source()).isEqualTo(Decision.Source.FALLBACK);
    }
  }

  @Test
  default void r5_localShareIsAFractionOfEveryAlgorithm() {
    for (Limit limit : each(12, LONG)) {
      FlakyBackend line = line();
      RateLimiter limiter = client(line).rateLimiter(NAME, options(Outage.localShare(4), limit));
      line.set(DECIDE, LOSES_REQUEST);
      Decision refused = drain(limiter, 3);
      assertThat(limiter.stats().allowed()).as("%s", limit).isEqualTo(3);
      assertThat(refused.source()).isEqualTo(Decision.Source.FALLBACK);
      assertThat(refused.refusedBy()).contains("1");
      assertThat(refused.retryAfter()).isPositive();
      assertThat(limiter.tryAcquire("other").allowed()).isTrue();
    }
  }

  @Test
  default void r5_breakerOpensAndTheLimiterRecovers() {
    FlakyBackend line = line();
    RateLimiterOptions options = options(Outage.closed(), Limit.gcra(5, LONG)).deadline(PATIENT);
    RateLimiter limiter = client(line).rateLimiter(NAME, options);
    line.set(DECIDE, LOSES_REQUEST);
    for (int i = 0; i < 50; i++) {
      assertThat(limiter.tryAcquire(KEY).allowed()).isFalse();
    }
    assertThat(line.calls(DECIDE)).as("calls while the store is away").isBetween(5, 8);
    line.heal();
    within(
        "the store decides again",
        Duration.ofSeconds(3),
        () -> limiter.tryAcquire(KEY).source() == Decision.Source.STORE);
    int before = line.calls(DECIDE);
    for (int i = 0; i < 10; i++) {
      assertThat(limiter.tryAcquire(KEY).source()).isEqualTo(Decision.Source.STORE);
    }
    assertThat(line.calls(DECIDE)).isEqualTo(before + 10);
  }

  @Test
  default void r5_breakerOpensToAStoreThatAnswersTooLate() {
    FlakyBackend line = line();
    RateLimiter limiter =
        client(line).rateLimiter(NAME, options(Outage.closed(), Limit.gcra(5, LONG)));
    line.set(DECIDE, HOLDS_REPLY);
    for (int i = 0; i < 20; i++) {
      int sent = line.calls(DECIDE);
      Running<Decision> call = start(() -> limiter.tryAcquire(KEY));
      within("it is answered", DEADLINE.multipliedBy(3), () -> call.future().isDone());
      if (line.calls(DECIDE) > sent) {
        line.takeHeld().deliver(); // too late
      }
    }
    assertThat(line.calls(DECIDE)).as("calls to a slow store").isBetween(5, 15);
  }

  @Test
  default void r5_outageIsLoggedAtMostOnceASecond() {
    String name = NAME + " " + UUID.randomUUID(); // others in this JVM have outages too
    FlakyBackend line = line();
    RateLimiter limiter =
        client(line).rateLimiter(name, options(Outage.open(), Limit.gcra(5, LONG)));
    line.set(DECIDE, LOSES_REQUEST);
    Logger logger = Logger.getLogger("dev.sluice.limit");
    ConcurrentLinkedQueue<LogRecord> records = new ConcurrentLinkedQueue<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            if (new SimpleFormatter().formatMessage(record).contains(name)) {
              records.add(record);
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try {
      long start = store().nanos();
      for (int i = 0; i < 100; i++) {
        limiter.tryAcquire(KEY);
      }
      long seconds = Duration.ofNanos(store().nanos() - start).toSeconds();
      assertThat(records).hasSizeBetween(1, (int) seconds + 2);
      store().pass(Duration.ofSeconds(2));
      int before = records.size();
      limiter.tryAcquire(KEY);
      assertThat(records).hasSize(before + 1);
    } finally {
      logger.removeHandler(handler);
    }
  }

  @Test
  default void r5_foreignDataIsThrownWhateverThePolicy() {
    FlakyBackend line = line();
    RateLimiter limiter =
        client(line).rateLimiter(NAME, options(Outage.open(), Limit.gcra(5, LONG)));
    line.failWith(DECIDE, new ForeignDataException("holds a list", null));
    for (org.assertj.core.api.ThrowableAssert.ThrowingCallable call :
        List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
            () -> limiter.tryAcquire(KEY),
            () -> limiter.peek(KEY, 1),
            () -> limiter.tryAcquire(KEY, 1, AGES),
            () -> limiter.reserve(KEY, 1, AGES),
            () -> limiter.refund(KEY, 1))) {
      for (int i = 0; i < 10; i++) { // nor is it a reason to stop asking
        assertThatThrownBy(call)
            .isInstanceOf(ForeignDataException.class)
            .hasMessageContaining(NAME)
            .hasMessageContaining("holds a list");
      }
    }
  }

  @Test
  default void r5_changesThatDidNotReachTheStoreAreTold() {
    FlakyBackend line = line();
    RateLimiter limiter =
        client(line).rateLimiter(NAME, options(Outage.open(), Limit.gcra(5, LONG)));
    line.set(DECIDE, LOSES_REQUEST).set(FlakyBackend.Verb.FORGET, LOSES_REQUEST);
    assertThatThrownBy(() -> limiter.refund(KEY, 1)).isInstanceOf(BackendException.class);
    assertThatThrownBy(() -> limiter.reset(KEY)).isInstanceOf(BackendException.class);
  }

  /** Tests a call with two tiers, while the policy changed to one tier, or to none. */
  @Test
  default void r5_policyMayChangeWhileACallIsUnderWay() throws Exception {
    List<Limit> next =
        List.of(Limit.gcra(5, LONG), Limit.leakyQueue(1, Duration.ofMinutes(1)).places(5));
    for (Outage outage : List.of(Outage.closed(), Outage.localShare(5))) {
      for (Limit limit : next) {
        FlakyBackend line = line();
        RateLimiter limiter =
            client(line)
                .rateLimiter(NAME, options(outage, Limit.gcra(9, LONG), Limit.slidingLog(5, LONG)));
        line.set(DECIDE, HOLDS_REQUEST);
        List<Running<Decision>> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          calls.add(start(() -> limiter.tryAcquire(KEY)));
        }
        until("one is under way", () -> line.heldCalls() > 0);
        limiter.update(options(outage, limit).version(1, CarryOver.KEEP));
        for (Running<Decision> call : calls) {
          within("it is answered", DEADLINE.multipliedBy(9), () -> call.future().isDone());
          assertThat(call.result().limit()).isPositive();
        }
      }
    }
  }

  @Test
  default void r5_shorterDeadlineHoldsForTheNextCall() {
    FlakyBackend line = line();
    RateLimiter limiter = client(line).rateLimiter(NAME, patient(Limit.gcra(5, LONG)));
    line.set(DECIDE, HOLDS_REQUEST);
    start(() -> limiter.tryAcquire(KEY));
    until("it is under way", () -> line.heldCalls() == 1);
    limiter.update(options(Outage.closed(), Limit.gcra(5, LONG)));
    Running<Decision> next = start(() -> limiter.tryAcquire("other"));
    until("both are under way", () -> line.heldCalls() == 2);
    long start = store().nanos();
    within("it is answered", DEADLINE.multipliedBy(3), () -> next.future().isDone());
    assertThat(store().nanos() - start).isLessThan(PATIENT.dividedBy(2).toNanos());
  }
}
