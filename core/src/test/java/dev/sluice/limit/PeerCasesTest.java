package dev.sluice.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cases of other limiters' suites, applied to Sluice. */
class PeerCasesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualTime time = new ManualTime();
  private final Sluice sluice =
      Sluice.builder().backend(new MemoryBackend(time::storeMicros)).time(time, time).build();

  @AfterEach
  void close() {
    sluice.close();
  }

  private RateLimiter limiter(Limit... limits) {
    return sluice.rateLimiter("peer", limits);
  }

  private List<Long> delaysInMillis(RateLimiter limiter, long... costs) {
    List<Long> delays = new ArrayList<>();
    for (long cost : costs) {
      Reservation place = limiter.reserve("key", cost, HOUR);
      assertThat(place.decision().allowed()).isTrue();
      delays.add(place.delay().toMillis());
    }
    return delays;
  }

  /** throttled and redis-cell: sixteen steps against one key, and every other series we know. */
  @Test
  void throttledTableOverTheWholeSurface() throws Exception {
    AtomicLong clock = new AtomicLong();
    int steps = 0;
    try (Sluice other = Sluice.builder().backend(new MemoryBackend(clock::get)).build();
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(
                    Objects.requireNonNull(
                        getClass().getResourceAsStream("/dev/sluice/state/cl-throttle.csv")),
                    StandardCharsets.UTF_8))) {
      for (String line : in.lines().skip(1).toList()) {
        String[] f = line.split(",");
        clock.set(1_767_225_600_000_000L + new BigDecimal(f[6]).movePointRight(6).longValueExact());
        ThrottleReply reply =
            other
                .throttle()
                .clThrottle(
                    f[1],
                    Long.parseLong(f[2]),
                    Long.parseLong(f[3]),
                    Long.parseLong(f[4]),
                    Long.parseLong(f[5]));
        assertThat(
                List.of(
                    (long) reply.limited(),
                    reply.limit(),
                    reply.remaining(),
                    reply.retryAfter(),
                    reply.resetAfter()))
            .as(line)
            .isEqualTo(
                List.of(
                    Long.parseLong(f[7]),
                    Long.parseLong(f[8]),
                    Long.parseLong(f[9]),
                    Long.parseLong(f[10]),
                    Long.parseLong(f[11])));
        steps++;
      }
    }
    assertThat(steps).isGreaterThan(50);
  }

  /** Bucket4j: eight threads share out half of a bucket. */
  @Test
  void eightThreadsTakeAThousandOfTwoThousand() throws Exception {
    RateLimiter limiter = limiter(Limit.tokenBucket(1, HOUR).burst(2000));
    ExecutorService pool = Executors.newFixedThreadPool(8);
    try {
      List<Future<Integer>> takers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        takers.add(
            pool.submit(
                () -> {
                  int taken = 0;
                  for (int call = 0; call < 125; call++) {
                    taken += limiter.tryAcquire("key").allowed() ? 1 : 0;
                  }
                  return taken;
                }));
      }
      int taken = 0;
      for (Future<Integer> taker : takers) {
        taken += taker.get();
      }
      assertThat(taken).isEqualTo(1000);
      assertThat(limiter.peek("key", 1).remaining()).isEqualTo(1000);
    } finally {
      pool.shutdownNow();
    }
  }

  /** Redisson: 18 a second, whichever second one looks at. */
  @Test
  void eighteenPerSecondInWhicheverSecond() {
    for (Limit limit : List.of(Limit.slidingLog(18, SECOND), Limit.slidingWindow(18, SECOND))) {
      RateLimiter limiter = sluice.rateLimiter(limit.algorithm().word(), limit);
      Random random = new Random(18);
      ArrayDeque<Long> lastSecond = new ArrayDeque<>();
      int admitted = 0;
      for (int call = 0; call < 20_000; call++) {
        time.advance(Duration.ofNanos(1000L * random.nextInt(4000)));
        if (limiter.tryAcquire("key").allowed()) {
          admitted++;
          long now = time.storeMicros();
          lastSecond.add(now);
          while (lastSecond.getFirst() <= now - 1_000_000) {
            lastSecond.removeFirst();
          }
          assertThat(lastSecond).as("%s", limit).hasSizeLessThanOrEqualTo(18);
        }
      }
      assertThat(admitted).isGreaterThan(500);
    }
  }

  /** Redisson: two in five seconds come back one by one, each five seconds after it went. */
  @Test
  void permitsOfALogComeBackOneByOne() {
    RateLimiter limiter = limiter(Limit.slidingLog(2, Duration.ofSeconds(5)));
    assertThat(limiter.tryAcquire("key").allowed()).isTrue();
    time.advance(Duration.ofSeconds(2));
    assertThat(limiter.tryAcquire("key").allowed()).isTrue();
    assertThat(limiter.tryAcquire("key").retryAfter()).isEqualTo(Duration.ofSeconds(3));
    time.advance(Duration.ofSeconds(3));
    assertThat(limiter.peek("key", 1).remaining()).isOne();
    time.advance(Duration.ofSeconds(2));
    assertThat(limiter.peek("key", 1).remaining()).isEqualTo(2);
  }

  /** Guava: five a second without a store of permits; with one second's store; by weight. */
  @Test
  void reservationsFollowTheRate() {
    RateLimiter strict = sluice.rateLimiter("strict", Limit.tokenBucket(5, SECOND).burst(1));
    assertThat(delaysInMillis(strict, 1, 1, 1)).containsExactly(0L, 200L, 400L);
    time.advance(Duration.ofMillis(300));
    assertThat(delaysInMillis(strict, 1, 1)).containsExactly(300L, 500L);

    RateLimiter burst = sluice.rateLimiter("burst", Limit.tokenBucket(5, SECOND));
    assertThat(delaysInMillis(burst, 1, 1, 1, 1, 1, 1, 1))
        .containsExactly(0L, 0L, 0L, 0L, 0L, 200L, 400L);

    RateLimiter weights = sluice.rateLimiter("weights", Limit.tokenBucket(1, SECOND).burst(8));
    assertThat(delaysInMillis(weights, 1, 2, 4, 8)).containsExactly(0L, 0L, 0L, 7000L);
  }

  /** uber: four takers at a hundred a second have 100, 200 and 300 after 1, 2 and 3 seconds. */
  @Test
  void takersAreSpacedByTheInterval() {
    for (Limit limit :
        List.of(Limit.leakyQueue(100, SECOND).places(1000), Limit.gcra(100, SECOND).burst(1))) {
      for (int seconds = 1; seconds <= 3; seconds++) {
        RateLimiter limiter = sluice.rateLimiter(limit.algorithm().word() + seconds, limit);
        Duration end = Duration.ofSeconds(seconds).minusNanos(1000);
        List<Long> delays = new ArrayList<>();
        for (Reservation place = limiter.reserve("key", 1, end);
            place.decision().allowed();
            place = limiter.reserve("key", 1, end)) {
          delays.add(place.delay().toMillis());
        }
        assertThat(delays).hasSize(100 * seconds);
        for (int i = 0; i < delays.size(); i++) {
          assertThat(delays.get(i)).isEqualTo(10L * i);
        }
      }
    }
  }

  /**
   * aiolimiter: five in ten seconds; two at a time are let go at 3, 7 and 11 s, first come first.
   */
  @Test
  void largeRequestsAreReleasedInTheOrderTheyCame() {
    RateLimiter limiter = limiter(Limit.leakyBucket(5, Duration.ofSeconds(10)));
    limiter.tryAcquire("key", 5);
    time.advance(SECOND);
    assertThat(delaysInMillis(limiter, 2, 2, 2)).containsExactly(3000L, 7000L, 11_000L);
    assertThat(limiter.tryAcquire("key").allowed()).as("a small one overtakes nobody").isFalse();
    assertThat(delaysInMillis(limiter, 1)).containsExactly(13_000L);
  }

  /** resilience4j: waits for permits of later cycles, over several of them. */
  @Test
  void waitsReachIntoLaterCycles() {
    RateLimiter limiter = limiter(Limit.fixedWindow(5, SECOND));
    time.advance(Duration.ofMillis(250));
    assertThat(delaysInMillis(limiter, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
        .containsExactly(0L, 0L, 0L, 0L, 0L, 750L, 750L, 750L, 750L, 750L, 1750L);
    time.advance(Duration.ofMillis(500));
    assertThat(delaysInMillis(limiter, 4, 1)).containsExactly(1250L, 2250L);
  }

  /** limitador and envoy: what a small limit refuses is not counted against the large one. */
  @Test
  void refusalsOfOneLimitDoNotSpendTheOther() {
    RateLimiter limiter =
        limiter(
            Limit.fixedWindow(3, SECOND).name("second"), Limit.fixedWindow(10, HOUR).name("hour"));
    int admitted = 0;
    for (int second = 0; second < 3; second++) {
      for (int call = 0; call < 20; call++) {
        admitted += limiter.tryAcquire("key").allowed() ? 1 : 0;
      }
      assertThat(admitted).isEqualTo(3 * (second + 1));
      time.advance(SECOND);
    }
    assertThat(limiter.tryAcquire("key").allowed()).isTrue();
    assertThat(limiter.tryAcquire("key").refusedBy()).contains("hour");
    assertThat(limiter.tryAcquire("key", 2).refusedBy()).contains("hour");
  }

  /** upstash: refunds at the limit, over it and beyond it; and one clears the local block. */
  @Test
  void refundsAtOverAndBeyondTheLimit() {
    RateLimiter limiter =
        sluice.rateLimiter("refunds", RateLimiterOptions.of(Limit.fixedWindow(10, HOUR)).leasing());
    limiter.tryAcquire("key", 10);
    limiter.refund("key", 1);
    assertThat(limiter.tryAcquire("key").allowed()).isTrue();
    assertThat(limiter.tryAcquire("key").allowed()).isFalse();
    assertThat(limiter.tryAcquire("key").source()).isEqualTo(Decision.Source.MEMO);
    limiter.refund("key", 1);
    assertThat(limiter.tryAcquire("key").allowed()).isTrue();
    limiter.refund("key", 10);
    limiter.refund("key", 10);
    assertThat(limiter.peek("key", 1).remaining()).isEqualTo(10);
  }
}
