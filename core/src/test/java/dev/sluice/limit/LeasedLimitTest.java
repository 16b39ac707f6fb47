package dev.sluice.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.sluice.Sluice;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Permits that are taken in advance never lift a limit, whoever else asks under what policy. */
class LeasedLimitTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = new ManualTime();
  private final MemoryBackend backend = new MemoryBackend(time::storeMicros);
  private final List<Sluice> open = new ArrayList<>();
  private final TreeMap<Long, Integer> admitted = new TreeMap<>();

  @AfterEach
  void close() {
    open.forEach(Sluice::close);
  }

  private RateLimiter limiter(RateLimiterOptions options) {
    Sluice sluice = Sluice.builder().backend(backend).time(time, time).build();
    open.add(sluice);
    return sluice.rateLimiter("api", options.leasing());
  }

  private void call(RateLimiter limiter, String key, int times) {
    for (int i = 0; i < times; i++) {
      if (limiter.tryAcquire(key).allowed()) {
        admitted.merge(time.storeMicros(), 1, Integer::sum);
      }
    }
  }

  private int mostWithin(Duration window) {
    long micros = window.toNanos() / 1000;
    return admitted.keySet().stream()
        .mapToInt(
            from ->
                admitted.subMap(from, from + micros).values().stream()
                    .mapToInt(Integer::intValue)
                    .sum())
        .max()
        .orElse(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sliding-window 1000/1m shared", "sliding-log 1000/1m shared"})
  void sharedTierHasOneRuleForAllKeys(String total) {
    Limit shared = Limit.parse(total).name("total");
    RateLimiter limiter =
        limiter(
            RateLimiterOptions.of(Limit.gcra(1000, SECOND), shared)
                .override("acme", Limit.gcra(50, SECOND), shared)
                .plan("slow", Limit.gcra(20, SECOND), shared)
                .planOf(key -> key));
    for (int i = 0; i < 400; i++) {
      call(limiter, "user", 30);
      call(limiter, "acme", 30);
      call(limiter, "slow", 30);
      time.advance(Duration.ofMillis(50));
    }
    assertThat(mostWithin(Duration.ofMinutes(1))).isLessThanOrEqualTo(1000);
  }

  @Test
  void overridesKeepTheSharedTierAsItIs() {
    Limit shared = Limit.parse("gcra 100/s shared");
    RateLimiterOptions options = RateLimiterOptions.of(shared);
    assertThatThrownBy(() -> options.override("acme", Limit.parse("gcra 10/s shared")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("override of 'acme' must have the same shared tiers");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sliding-log 1000/s", "sliding-window 1000/s"})
  void olderPolicyLeasesNothingUnderANewerOne(String newer) {
    for (int seed = 0; seed < 40; seed++) {
      admitted.clear();
      backend.clear();
      Random random = new Random(seed);
      RateLimiter rules =
          limiter(RateLimiterOptions.of(Limit.parse(newer)).version(2, CarryOver.RESET));
      RateLimiter follows =
          limiter(
              RateLimiterOptions.of(Limit.slidingWindow(100_000, Duration.ofSeconds(100)))
                  .version(1, CarryOver.KEEP));
      for (int i = 0; i < 60; i++) {
        call(rules, "user", 1); // so that the newer policy is never forgotten
        call(random.nextBoolean() ? rules : follows, "user", 1 + random.nextInt(600));
        time.advance(
            Duration.ofNanos(1000L * random.nextInt(random.nextBoolean() ? 20_000 : 450_000)));
      }
      assertThat(mostWithin(SECOND)).as("seed " + seed).isLessThanOrEqualTo(1000);
    }
  }

  /** Time goes on between a look at the clock and what follows from it; timers are late as well. */
  @Test
  void permitsOfAWindowServeNobodyWhoComesAfterItsEnd() throws Exception {
    AtomicLong passed = new AtomicLong();
    AtomicReference<Decision> late = new AtomicReference<>();
    List<Thread> comers = new ArrayList<>();
    RateLimiter[] limiter = new RateLimiter[1];
    Thread first = Thread.currentThread();
    Ticker ticker =
        () -> {
          long now = time.nanos() + passed.get();
          if (comers.isEmpty() && Thread.currentThread() == first && isServingFromCredit()) {
            passed.addAndGet(SECOND.toNanos());
            Thread comer = new Thread(() -> late.set(limiter[0].tryAcquire("user")));
            comers.add(comer);
            comer.start();
            await().atMost(ONE_MINUTE).until(() -> comer.getState() != Thread.State.RUNNABLE);
          }
          return now;
        };
    MemoryBackend store = new MemoryBackend(() -> time.storeMicros() + passed.get() / 1000);
    try (Sluice sluice = Sluice.builder().backend(store).time(ticker, time).build()) {
      limiter[0] =
          sluice.rateLimiter(
              "api", RateLimiterOptions.of(Limit.fixedWindow(10_000, SECOND)).leasing());
      for (int i = 0; comers.isEmpty() && i < 1000; i++) {
        limiter[0].tryAcquire("user");
        passed.addAndGet(100_000);
      }
      for (Thread comer : comers) {
        comer.join();
      }
      assertThat(late.get().source()).isEqualTo(Decision.Source.STORE);
    }
  }

  private static boolean isServingFromCredit() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("serveFromCredit")));
  }

  @Test
  void costAboveWhatIsLeftOfTheLimitIsMisuse() {
    RateLimiter limiter = limiter(RateLimiterOptions.of(Limit.gcra(1000, SECOND)));
    assertThat(limiter.tryAcquire("user", 990).allowed()).isTrue();
    assertThatThrownBy(() -> limiter.tryAcquire("user", 1000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cost must be <= 990");
  }
}
