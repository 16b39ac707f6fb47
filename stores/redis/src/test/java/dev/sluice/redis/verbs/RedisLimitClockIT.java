package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.redis.PatientClient;
import dev.sluice.redis.ShiftedClock;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A real server whose wall clock is stepped by an hour, expiries of keys included. Needs a C
 * compiler, for what is put between the server and its clock.
 */
@EachRedis
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisLimitClockIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration WINDOW = Duration.ofSeconds(2);
  private static final int LIMIT = 5;

  private final RedisBinary binary;
  private RedisServer server;
  private ShiftedClock clock;
  private Sluice sluice;

  RedisLimitClockIT(RedisBinary binary) {
    this.binary = binary;
  }

  @BeforeEach
  void start() {
    clock = new ShiftedClock(binary);
    server = RedisServer.start(clock.program());
    sluice = PatientClient.connect(server.uri());
  }

  @AfterEach
  void stop() {
    if (sluice != null) {
      sluice.close();
    }
    if (server != null) {
      server.close();
    }
  }

  /** Moves the server's wall clock to so much ahead of ours. */
  private void step(Duration ahead) {
    clock.set(ahead);
    long expected = System.currentTimeMillis() / 1000 + ahead.toSeconds();
    List<?> time = (List<?>) server.call("TIME");
    assertThat(Long.parseLong(time.get(0).toString())).isBetween(expected - 5, expected + 5);
  }

  private static List<Limit> limits() {
    return List.of(
        Limit.fixedWindow(LIMIT, WINDOW),
        Limit.slidingLog(LIMIT, WINDOW),
        Limit.slidingWindow(LIMIT, WINDOW),
        Limit.tokenBucket(LIMIT, WINDOW),
        Limit.leakyBucket(LIMIT, WINDOW),
        Limit.gcra(LIMIT, WINDOW),
        Limit.expiringWindow(LIMIT, WINDOW));
  }

  private List<RateLimiter> limiters() {
    List<RateLimiter> limiters = new ArrayList<>();
    for (Limit limit : limits()) {
      limiters.add(
          sluice.rateLimiter(
              limit.algorithm().word(), RateLimiterOptions.of(limit).deadline(AGES)));
    }
    return limiters;
  }

  private static int drain(RateLimiter limiter) {
    int taken = 0;
    while (limiter.tryAcquire("user").allowed()) {
      taken++;
    }
    return taken;
  }

  @Test
  void aStepBackLocksNobodyOutForLongerThanTheTimeToFull() throws Exception {
    List<RateLimiter> limiters = limiters();
    limiters.forEach(limiter -> assertThat(drain(limiter)).isGreaterThanOrEqualTo(LIMIT));
    step(HOUR.negated());
    long stepped = System.nanoTime();
    for (RateLimiter limiter : limiters) {
      Decision decision = limiter.tryAcquire("user");
      assertThat(decision.retryAfter()).as(limiter.name()).isLessThanOrEqualTo(longest());
      assertThat(decision.resetAfter()).as(limiter.name()).isLessThanOrEqualTo(longest());
    }
    for (RateLimiter limiter : limiters) {
      // asked again and again: a refusal must not start the wait anew
      await()
          .atMost(AGES)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> limiter.tryAcquire("user").allowed());
      Object left = server.call("PTTL", "sl:{" + limiter.name() + ":user}:l1");
      assertThat((long) left).as(limiter.name()).isBetween(1L, longest().toMillis() + 2000);
    }
    Duration out = Duration.ofNanos(System.nanoTime() - stepped);
    assertThat(out).as("locked out").isLessThan(longest().plusSeconds(20));
    for (RateLimiter limiter : limiters) {
      boolean bySlots = limiter.name().equals("fixed-window");
      assertThat(limiter.stats().clockSteps()).as(limiter.name()).isBetween(bySlots ? 0L : 1L, 2L);
    }
  }

  /** A fixed window lies ahead by what is left of the step after whole windows. */
  private static Duration longest() {
    return WINDOW.multipliedBy(2).plusMillis(1);
  }

  @Test
  void aStepForwardCostsAtMostOneBurst() throws Exception {
    List<RateLimiter> limiters = limiters();
    long start = System.nanoTime();
    int[] taken = limiters.stream().mapToInt(RedisLimitClockIT::drain).toArray();
    step(HOUR);
    for (int i = 0; i < taken.length; i++) {
      int more = drain(limiters.get(i));
      assertThat(more).as(limiters.get(i).name()).isPositive();
      taken[i] += more;
    }
    step(Duration.ZERO); // and back to the right time: nothing comes back a second time
    for (int i = 0; i < taken.length; i++) {
      RateLimiter limiter = limiters.get(i);
      taken[i] += drain(limiter);
      double windows = (System.nanoTime() - start) / (double) WINDOW.toNanos();
      assertThat(taken[i])
          .as(limiter.name())
          .isLessThanOrEqualTo((int) ((3 + Math.ceil(windows)) * LIMIT));
    }
    for (RateLimiter limiter : limiters) {
      await().atMost(AGES).until(() -> limiter.tryAcquire("user").allowed());
    }
  }

  @Test
  void aQueueGoesOnAtItsPaceAcrossStepsOfTheClock() throws Exception {
    RateLimiter queue =
        sluice.rateLimiter(
            "queue",
            RateLimiterOptions.of(Limit.leakyQueue(5, Duration.ofSeconds(1)).places(100))
                .deadline(AGES));
    for (Duration ahead : List.of(HOUR.negated(), HOUR, Duration.ZERO)) {
      long start = System.nanoTime();
      assertThat(queue.tryAcquire("user", 5, AGES).allowed()).isTrue();
      CompletableFuture<Decision> first =
          queue.async().tryAcquire("user", 1, AGES).toCompletableFuture();
      CompletableFuture<Decision> gone =
          queue.async().tryAcquire("user", 1, AGES).toCompletableFuture();
      await() // unless the machine stood still until their turns had come
          .atMost(AGES)
          .until(
              () ->
                  server.call("EXISTS", "sl:{queue:user}:turns").equals(1L)
                      || first.isDone() && gone.isDone());
      step(ahead);
      CompletableFuture<Decision> last =
          queue.async().tryAcquire("user", 1, AGES).toCompletableFuture();
      gone.cancel(false); // the last one moves up, by the clock that was stepped
      assertThat(first.get(60, TimeUnit.SECONDS).allowed()).isTrue();
      assertThat(last.get(60, TimeUnit.SECONDS).allowed()).isTrue();
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      assertThat(took).as("to %s", ahead).isLessThan(AGES);
    }
    assertThat(queue.stats().clockSteps()).isPositive();
    await()
        .atMost(AGES)
        .until(() -> queue.peek("user", 1).allowed() && queue.tryAcquire("user").allowed());
  }
}
