package dev.sluice.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.LimitBackend;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RateLimiterTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = new ManualTime();
  private final MemoryBackend backend = new MemoryBackend(time::storeMicros);
  private final Sluice sluice = Sluice.builder().backend(backend).time(time, time).build();

  @AfterEach
  void close() {
    sluice.close();
  }

  static Stream<Limit> tenPerSecond() {
    return Stream.of(
        Limit.fixedWindow(10, SECOND),
        Limit.slidingLog(10, SECOND),
        Limit.slidingWindow(10, SECOND),
        Limit.tokenBucket(10, SECOND),
        Limit.leakyBucket(10, SECOND),
        Limit.gcra(10, SECOND),
        Limit.expiringWindow(10, SECOND));
  }

  @ParameterizedTest
  @MethodSource("tenPerSecond")
  void tenPassAndTheEleventhKnowsWhenToComeBack(Limit limit) {
    RateLimiter limiter = sluice.rateLimiter("api", limit);
    for (int i = 9; i >= 0; i--) {
      Decision decision = limiter.tryAcquire("user");
      assertThat(decision.allowed()).isTrue();
      assertThat(decision.remaining()).isEqualTo(i);
    }
    Decision refused = limiter.tryAcquire("user");
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.refusedBy()).contains("1");

    time.advance(refused.retryAfter().minusNanos(1000));
    assertThat(limiter.peek("user", 1).allowed()).isFalse();
    time.advance(Duration.ofNanos(1000));
    assertThat(limiter.tryAcquire("user").allowed()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("tenPerSecond")
  void whoWaitsIsLetThroughInTime(Limit limit) {
    RateLimiter limiter = sluice.rateLimiter("api", limit);
    limiter.tryAcquire("user", 10);
    CompletableFuture<Decision> waiting =
        limiter.async().tryAcquire("user", 1, Duration.ofSeconds(5)).toCompletableFuture();
    assertThat(waiting).isNotDone();
    time.advance(Duration.ofSeconds(2));
    assertThat(waiting.join().allowed()).isTrue();
  }

  @Test
  void queueLetsCallersThroughOneByOneAndClosesGaps() {
    // on this thread, so that who moves up has done so before time moves on
    Sluice atOnce =
        Sluice.builder().backend(backend).time(time, time).callbacks(Runnable::run).build();
    RateLimiter limiter = atOnce.rateLimiter("api", Limit.leakyQueue(10, SECOND).places(5));
    assertThat(limiter.tryAcquire("user").allowed()).isTrue();
    CompletableFuture<Decision> first =
        limiter.async().tryAcquire("user", 1, SECOND).toCompletableFuture();
    CompletableFuture<Decision> second =
        limiter.async().tryAcquire("user", 1, SECOND).toCompletableFuture();
    first.cancel(false);
    time.advance(Duration.ofMillis(99));
    assertThat(second).isNotDone();
    time.advance(Duration.ofMillis(1));
    assertThat(second).isDone();
    atOnce.close();
  }

  @Test
  void tenTimesTooManyCallsCostFewTripsAndLoseNothing() {
    Limit limit = Limit.gcra(1000, SECOND);
    RateLimiter limiter = sluice.rateLimiter("api", RateLimiterOptions.of(limit).leasing());
    int allowed = 0;
    for (int i = 0; i < 20_000; i++) { // two seconds
      allowed += limiter.tryAcquire("user").allowed() ? 1 : 0;
      time.advance(Duration.ofNanos(100_000));
    }

    assertThat(allowed).isBetween(2940, 3000);
    assertThat(limiter.stats().trips()).isLessThan(1000);
  }

  @Test
  void aCallerWhoWaitsAsToldIsNotHeldBackForOthers() {
    Limit limit = Limit.gcra(1000, SECOND);
    RateLimiter limiter = sluice.rateLimiter("api", RateLimiterOptions.of(limit).leasing());
    limiter.tryAcquire("user", 990); // all but the hundredth that is kept back
    for (int i = 0; i < 5; i++) {
      Decision refused = limiter.tryAcquire("user");
      assertThat(refused.allowed()).isFalse();
      assertThat(refused.retryAfter()).isEqualTo(Duration.ofMillis(1));
      time.advance(refused.retryAfter());
      assertThat(limiter.tryAcquire("user").allowed()).isTrue();
    }
  }

  @Test
  void oneNameAndPolicyAreOneLimiter() {
    Limit limit = Limit.gcra(10, SECOND);
    assertThat(sluice.rateLimiter("api", limit)).isSameAs(sluice.rateLimiter("api", limit));
    assertThat(sluice.rateLimiter("api", limit)).isNotSameAs(sluice.rateLimiter("b", limit));
  }

  @Test
  void refusalNamesTheQueue() {
    RateLimiter limiter =
        sluice.rateLimiter("api", Limit.leakyQueue(1, SECOND).places(0).name("lane"));
    limiter.tryAcquire("user");
    assertThat(limiter.tryAcquire("user").refusedBy()).contains("lane");
  }

  @Test
  void waitingForNothingIsMisuse() {
    RateLimiter limiter = sluice.rateLimiter("api", Limit.leakyQueue(1, SECOND).places(3));
    for (Duration wait : new Duration[] {Duration.ZERO, SECOND}) {
      assertThatThrownBy(() -> limiter.tryAcquire("user", 0, wait))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("cost must be >= 1: 0");
    }
  }

  @Test
  void whatNeverPassesUnderANewerPolicyIsToldToPause() {
    Limit big = Limit.gcra(100, SECOND);
    Limit small = Limit.gcra(10, SECOND);
    RateLimiter old =
        sluice.rateLimiter("api", RateLimiterOptions.of(big).version(1, CarryOver.KEEP));
    sluice
        .rateLimiter("api", RateLimiterOptions.of(small).version(2, CarryOver.KEEP))
        .tryAcquire("user");

    Decision refused = old.tryAcquire("user", 50);
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.retryAfter()).isEqualTo(SECOND);
  }

  @Test
  void longQueueMovesUpWhenTheFirstLeaves() {
    RateLimiter limiter = sluice.rateLimiter("api", Limit.leakyQueue(10, SECOND).places(2000));
    limiter.tryAcquire("user");
    List<CompletableFuture<Decision>> waiting = new ArrayList<>();
    for (int i = 0; i < 1500; i++) {
      waiting.add(
          limiter.async().tryAcquire("user", 1, Duration.ofMinutes(5)).toCompletableFuture());
    }
    waiting.get(0).cancel(false);
    await()
        .atMost(ONE_MINUTE)
        .untilAsserted(
            () -> {
              time.advance(Duration.ofMillis(100));
              assertThat(waiting.get(1)).isDone();
            });
    sluice.close();
    // whose turn had come is told on a thread of its own, which may still be under way
    await()
        .atMost(ONE_MINUTE)
        .untilAsserted(() -> assertThat(waiting).allMatch(CompletableFuture::isDone));
  }

  @Test
  void updateDuringAnOutageGivesNoFreshShare() {
    Backend away =
        new Backend() {
          @Override
          public String describe() {
            return "a store that is away";
          }

          @Override
          public GrantBackend locks() {
            return backend.locks();
          }

          @Override
          public LimitBackend limits() {
            return (LimitBackend)
                Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {LimitBackend.class},
                    (proxy, method, args) ->
                        method.getName().equals("hasAnswered")
                            ? true
                            : CompletableFuture.failedFuture(new BackendException("away", null)));
          }

          @Override
          public void close() {}
        };
    try (Sluice alone = Sluice.builder().backend(away).time(time, time).build()) {
      RateLimiterOptions options =
          RateLimiterOptions.of(Limit.gcra(1, SECOND).burst(100)).outage(Outage.localShare(2));
      RateLimiter limiter = alone.rateLimiter("api", options);
      int passed = 0;
      for (int i = 0; i < 300; i++) {
        limiter.update(options);
        passed += limiter.tryAcquire("user").allowed() ? 1 : 0;
      }
      assertThat(passed).isEqualTo(50);
    }
  }
}
