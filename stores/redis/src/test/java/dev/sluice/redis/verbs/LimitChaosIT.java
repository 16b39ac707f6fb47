package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Outage;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every verb on many keys while everything happens to the server; then what is left behind. */
@EachRedis
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LimitChaosIT {
  private static final int CALLERS = 8;
  private static final int ROUNDS = 24;
  private static final Duration DAY = Duration.ofDays(1);

  private final RedisServer server;

  LimitChaosIT(RedisBinary binary) {
    this.server = RedisServer.start(binary);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static List<RateLimiter> limiters(Sluice sluice) {
    List<RateLimiter> limiters = new ArrayList<>();
    for (Duration window : List.of(Duration.ofMillis(50), DAY)) {
      List<Limit> limits =
          List.of(
              Limit.fixedWindow(500, window),
              Limit.slidingLog(40, window),
              Limit.slidingWindow(500, window),
              Limit.tokenBucket(500, window),
              Limit.gcra(7, window),
              Limit.expiringWindow(500, window),
              Limit.leakyQueue(200, window).places(20));
      for (Limit limit : limits) {
        RateLimiterOptions options = RateLimiterOptions.of(limit).outage(Outage.open());
        String name = limit.algorithm().word() + window.toMillis();
        limiters.add(sluice.rateLimiter(name, options));
        limiters.add(sluice.rateLimiter(name + "-leased", options.leasing()));
      }
      limiters.add(
          sluice.rateLimiter(
              "tiers" + window.toMillis(),
              Limit.slidingLog(30, window).name("log"),
              Limit.gcra(50, window).name("cell"),
              Limit.slidingWindow(90, window).name("all").shared()));
    }
    return limiters;
  }

  @Test
  void noKeyIsLeftWithoutAnExpiry() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService pool = Executors.newFixedThreadPool(CALLERS);
    long keys;
    try (TcpProxy proxy = new TcpProxy(server.port());
        Sluice direct = Sluice.connect(server.uri());
        Sluice spoilt = Sluice.connect("redis://127.0.0.1:" + proxy.port())) {
      List<Future<?>> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        Sluice mine = i % 2 == 0 ? direct : spoilt;
        long seed = i;
        callers.add(pool.submit(() -> use(mine, limiters(mine), new Random(seed), over)));
      }
      Random chance = new Random(42);
      for (int i = 0; i < ROUNDS; i++) {
        TimeUnit.MILLISECONDS.sleep(chance.nextInt(60)); // how long a fault lasts, or quiet
        switch (chance.nextInt(6)) {
          case 0 -> proxy.cut();
          case 1 -> server.call("FLUSHALL");
          case 2 -> server.call("SCRIPT", "FLUSH");
          case 3 -> server.call("CLIENT", "KILL", "TYPE", "normal");
          case 4 -> {
            server.pause();
            TimeUnit.MILLISECONDS.sleep(chance.nextInt(120));
            server.resume();
          }
          default -> {
            proxy.holdReplies(true);
            TimeUnit.MILLISECONDS.sleep(chance.nextInt(120));
            proxy.cut();
            proxy.holdReplies(false);
          }
        }
        assertThat(immortal()).isEmpty();
      }
      over.set(true);
      for (Future<?> caller : callers) {
        caller.get(60, TimeUnit.SECONDS); // nothing but decisions, and failures of the store
      }
      keys = keys().size();
    } finally {
      pool.shutdownNow();
    }
    assertThat(keys).as("keys that were looked at").isPositive();
    assertThat(immortal()).isEmpty();
  }

  private static void use(
      Sluice sluice, List<RateLimiter> limiters, Random chance, AtomicBoolean over) {
    while (!over.get()) {
      RateLimiter limiter = limiters.get(chance.nextInt(limiters.size()));
      String key = "user" + chance.nextInt(10);
      long cost = 1 + chance.nextInt(3);
      boolean queue = limiter.name().startsWith("leaky-queue");
      try {
        switch (chance.nextInt(queue ? 5 : 8)) {
          case 0 -> limiter.reserve(key, cost, DAY).cancel();
          case 1 -> {
            CompletableFuture<?> waiter =
                limiter.async().tryAcquire(key, cost, DAY).toCompletableFuture();
            if (chance.nextBoolean()) {
              waiter.cancel(false);
            }
          }
          case 2 -> limiter.peek(key, cost);
          case 3 -> sluice.throttle().clThrottle(key, 5, 10, 1 + chance.nextInt(1000), cost);
          case 5 -> limiter.refund(key, cost);
          case 6 -> {
            if (chance.nextInt(20) == 0) {
              limiter.reset(key);
            }
          }
          default -> limiter.tryAcquire(key, cost);
        }
      } catch (SluiceException e) {
        Thread.onSpinWait(); // no answer: those verbs that have no policy say so
      }
    }
  }

  private List<String> keys() {
    List<?> found = (List<?>) server.call("KEYS", "sl:*");
    return found.stream().map(Object::toString).toList();
  }

  /** Without an expiry; those that went meanwhile answer -2. */
  private List<String> immortal() {
    String script =
        "local bad = {} for _, key in ipairs(redis.call('KEYS', 'sl:*')) do"
            + " if redis.call('PTTL', key) == -1 then bad[#bad + 1] = key end end return bad";
    List<?> found = (List<?>) server.call("EVAL", script, "0");
    return found.stream().map(Object::toString).toList();
  }
}
