package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.limit.Decision;
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
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits while real servers are paused, cut off, emptied and replaced. */
@EachRedis
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LimitFaultIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DEADLINE = Duration.ofMillis(100);

  /** What a busy machine may add to a deadline. */
  private static final Duration MARGIN = Duration.ofSeconds(9);

  private static final Logger LOG = Logger.getLogger("dev.sluice.limit");

  private final RedisServer server;
  private final Queue<String> logged = new ConcurrentLinkedQueue<>();
  private final Handler listener =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          logged.add(String.valueOf(line.getParameters()[0]));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  LimitFaultIT(RedisBinary binary) {
    this.server = RedisServer.start(binary);
  }

  @BeforeEach
  void listen() {
    LOG.addHandler(listener);
    LOG.setUseParentHandlers(false);
  }

  @AfterEach
  void stop() {
    LOG.removeHandler(listener);
    LOG.setUseParentHandlers(true);
    server.close();
  }

  /** Callers who ask without a pause, and what they were told. */
  private static final class Load implements AutoCloseable {
    private static final int CALLERS = 8;
    private final AtomicBoolean over = new AtomicBoolean();
    private final List<CompletableFuture<Void>> callers = new ArrayList<>();
    final AtomicLong allowed = new AtomicLong();
    final AtomicLong fallback = new AtomicLong();
    final AtomicLong answered = new AtomicLong();
    final AtomicLong slowest = new AtomicLong();

    Load(RateLimiter limiter) {
      for (int i = 0; i < CALLERS; i++) {
        callers.add(CompletableFuture.runAsync(() -> ask(limiter), r -> new Thread(r).start()));
      }
    }

    private void ask(RateLimiter limiter) {
      while (!over.get()) {
        long start = System.nanoTime();
        Decision decision = limiter.tryAcquire("user");
        slowest.accumulateAndGet(System.nanoTime() - start, Math::max);
        answered.incrementAndGet();
        if (decision.allowed()) {
          allowed.incrementAndGet();
        }
        if (decision.source() == Decision.Source.FALLBACK) {
          fallback.incrementAndGet();
        }
        Thread.onSpinWait();
      }
    }

    void awaitMore(AtomicLong count, long more) {
      long before = count.get();
      await()
          .atMost(AGES)
          .pollInterval(Duration.ofMillis(10))
          .until(() -> count.get() >= before + more || callers.stream().anyMatch(c -> c.isDone()));
    }

    /** Ends the load; fails if a caller met anything but a decision. */
    @Override
    public void close() {
      over.set(true);
      CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new))
          .orTimeout(30, TimeUnit.SECONDS)
          .join();
    }
  }

  private static RateLimiterOptions perHour(long limit, Outage outage) {
    return RateLimiterOptions.of(Limit.slidingLog(limit, HOUR)).deadline(DEADLINE).outage(outage);
  }

  @Test
  void aPausedServerHoldsNobodyUpAndEachPolicyAnswers() {
    long start = System.nanoTime();
    try (Sluice sluice = Sluice.connect(server.uri())) {
      RateLimiter open = sluice.rateLimiter("open", perHour(50, Outage.open()));
      RateLimiter closed = sluice.rateLimiter("closed", perHour(50, Outage.closed()));
      RateLimiter share = sluice.rateLimiter("share", perHour(50, Outage.localShare(5)));
      try (Load onOpen = new Load(open);
          Load onClosed = new Load(closed);
          Load onShare = new Load(share)) {
        List<Load> loads = List.of(onOpen, onClosed, onShare);
        loads.forEach(load -> load.awaitMore(load.answered, 100));
        server.pause();
        loads.forEach(load -> load.awaitMore(load.fallback, 2000)); // the breaker is open by then
        long before = closed.stats().trips();
        long probing = System.nanoTime();
        await().pollDelay(Duration.ofMillis(1500)).until(() -> true);
        double seconds = (System.nanoTime() - probing) / 1e9;
        assertThat(closed.stats().trips() - before).as("probes").isBetween(1L, (long) seconds + 2);
        assertThat(open.tryAcquire("user").allowed()).isTrue();
        Decision refused = closed.tryAcquire("user");
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.retryAfter()).isPositive();
        server.resume();
        for (RateLimiter limiter : List.of(open, closed, share)) {
          await()
              .atMost(AGES)
              .until(() -> limiter.tryAcquire("other").source() == Decision.Source.STORE);
        }
        for (Load load : loads) {
          assertThat(Duration.ofNanos(load.slowest.get())).isLessThan(DEADLINE.plus(MARGIN));
        }
        assertThat(onOpen.allowed.get()).as("whoever came").isGreaterThan(2000);
        assertThat(onClosed.allowed.get()).as("the limit").isLessThanOrEqualTo(50);
        assertThat(onShare.allowed.get()).as("the limit, and a share").isLessThanOrEqualTo(60);
      }
    }
    long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
    for (String name : List.of("open", "closed", "share")) {
      assertThat(logged.stream().filter(line -> line.contains("'" + name + "'")).count())
          .as("lines about " + name)
          .isBetween(1L, seconds + 2);
    }
  }

  @Test
  void closingWhileTheServerIsPausedEndsEveryWait() throws Exception {
    Sluice sluice = patient(); // no answer of the policy before it is closed
    RateLimiterOptions line = RateLimiterOptions.of(Limit.leakyQueue(1, HOUR).places(10));
    RateLimiter queue = sluice.rateLimiter("queue", line.deadline(AGES));
    RateLimiter slow =
        sluice.rateLimiter("slow", RateLimiterOptions.of(Limit.gcra(1, HOUR)).deadline(AGES));
    assertThat(queue.tryAcquire("user").allowed()).isTrue();
    assertThat(slow.tryAcquire("user").allowed()).isTrue();
    CompletableFuture<Decision> waits =
        queue.async().tryAcquire("user", 1, HOUR.multipliedBy(2)).toCompletableFuture();
    await().atMost(AGES).until(() -> server.call("EXISTS", "sl:{queue:user}:turns").equals(1L));
    server.pause();
    List<CompletableFuture<?>> underWay = new ArrayList<>(List.of(waits));
    for (RateLimiter limiter : List.of(queue, slow)) {
      underWay.add(CompletableFuture.supplyAsync(() -> limiter.tryAcquire("user")));
      underWay.add(limiter.async().tryAcquire("user", 1, HOUR).toCompletableFuture());
      underWay.add(limiter.async().peek("user", 1).toCompletableFuture());
    }
    CompletableFuture<Void> closing = CompletableFuture.runAsync(sluice::close);
    closing.get(20, TimeUnit.SECONDS);
    for (CompletableFuture<?> call : underWay) {
      assertThat(call.handle((answer, failure) -> failure != null).get(20, TimeUnit.SECONDS))
          .isTrue();
    }
    server.resume();
  }

  @Test
  void aCutConnectionIsAnsweredByThePolicyAtOnceAndComesBack() throws Exception {
    try (TcpProxy proxy = new TcpProxy(server.port());
        Sluice sluice = Sluice.connect("redis://127.0.0.1:" + proxy.port())) {
      RateLimiterOptions patient = perHour(5, Outage.open()).deadline(AGES);
      RateLimiter limiter = sluice.rateLimiter("cut", patient);
      assertThat(limiter.tryAcquire("user").source()).isEqualTo(Decision.Source.STORE);
      proxy.holdReplies(true);
      List<CompletableFuture<Decision>> lost = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        lost.add(limiter.async().tryAcquire("user", 1).toCompletableFuture());
      }
      await().atMost(AGES).until(() -> proxy.heldReplies() > 0);
      proxy.cut();
      proxy.holdReplies(false);
      assertThat(lost.get(0).get(10, TimeUnit.SECONDS).source())
          .isEqualTo(Decision.Source.FALLBACK);
      for (CompletableFuture<Decision> call : lost) { // asked again over the new line, or not
        assertThat(call.get(10, TimeUnit.SECONDS).allowed()).isTrue();
      }
      await()
          .atMost(AGES)
          .until(() -> limiter.tryAcquire("other").source() == Decision.Source.STORE);
      // what was lost may have been spent, but never twice
      assertThat(limiter.peek("user", 0).remaining()).isBetween(1L, 3L);
    }
  }

  private Sluice patient() {
    return Sluice.builder().uri(server.uri()).requestTimeout(AGES).build();
  }

  @Test
  void scriptsThatAreFlushedUnderLoadCostNoAnswer() {
    try (Sluice sluice = patient()) {
      RateLimiterOptions options = perHour(500, Outage.closed()).deadline(AGES);
      RateLimiter limiter = sluice.rateLimiter("flushed", options);
      try (Load load = new Load(limiter)) {
        for (int i = 0; i < 20; i++) {
          server.call("SCRIPT", "FLUSH");
          load.awaitMore(load.answered, 30);
        }
        load.awaitMore(load.answered, 600);
        assertThat(load.fallback.get()).isZero();
        assertThat(load.allowed.get()).isEqualTo(500);
      }
    }
  }

  @Test
  void eachLossOfDataCostsAtMostOneBurst() {
    int losses = 5;
    for (Limit limit :
        List.of(
            Limit.slidingLog(50, HOUR),
            Limit.slidingWindow(50, HOUR),
            Limit.fixedWindow(50, HOUR.multipliedBy(24 * 300)),
            Limit.gcra(50, HOUR),
            Limit.expiringWindow(50, HOUR))) {
      try (Sluice sluice = patient()) {
        String name = limit.algorithm().word();
        RateLimiter limiter = sluice.rateLimiter(name, RateLimiterOptions.of(limit).deadline(AGES));
        try (Load load = new Load(limiter)) {
          load.awaitMore(load.answered, 100);
          for (int i = 0; i < losses; i++) {
            if (i % 2 == 0) {
              server.call("DEL", "sl:{" + name + ":user}:l1");
            } else {
              server.call("FLUSHALL");
            }
            load.awaitMore(load.answered, 100);
          }
          assertThat(load.fallback.get()).isZero();
          assertThat(load.allowed.get())
              .as(name)
              .isBetween(50L + 1, 50L * (losses + 1) + 1); // one flows in, in an hour
        }
      }
    }
  }

  @Test
  void aServerThatComesBackEmptyLetsOneMoreBurstThrough() {
    try (Sluice sluice = Sluice.connect(server.uri());
        Sluice leasing = Sluice.connect(server.uri())) {
      RateLimiterOptions closed = perHour(1000, Outage.closed());
      RateLimiter plain = sluice.rateLimiter("plain", closed);
      RateLimiter leased = leasing.rateLimiter("leased", closed.leasing());
      try (Load onPlain = new Load(plain);
          Load onLeased = new Load(leased)) {
        for (Load load : List.of(onPlain, onLeased)) {
          await().atMost(AGES).until(() -> load.allowed.get() >= 900);
        }
        server.kill();
        onPlain.awaitMore(onPlain.fallback, 100);
        server.restartEmpty();
        for (Load load : List.of(onPlain, onLeased)) {
          await().atMost(AGES).until(() -> load.allowed.get() > 1500);
        }
      }
      for (RateLimiter limiter : List.of(plain, leased)) {
        assertThat(limiter.stats().allowed()).as(limiter.name()).isBetween(1500L, 2000L);
      }
    }
  }

  @Test
  void callersWhoComeBeforeMessagesAreDeliveredKeepTheirOrder() {
    try (TcpProxy proxy = new TcpProxy(server.port());
        Sluice sluice = Sluice.connect("redis://127.0.0.1:" + proxy.port())) {
      RateLimiter queue =
          sluice.rateLimiter(
              "queue",
              RateLimiterOptions.of(Limit.leakyQueue(60, HOUR).places(100)).deadline(AGES));
      assertThat(queue.tryAcquire("user").allowed()).isTrue(); // ticket 1
      proxy.holdReplies(true); // the subscription's too
      for (int i = 0; i < 20; i++) {
        queue.async().tryAcquire("user", 1, HOUR);
      }
      proxy.holdReplies(false);
      await().atMost(AGES).until(() -> server.call("ZCARD", "sl:{queue:user}:turns").equals(20L));
      List<?> turns = (List<?>) server.call("ZRANGE", "sl:{queue:user}:turns", "0", "-1");
      assertThat(turns.stream().map(turn -> Integer.valueOf(turn.toString().split(" ")[1])))
          .isSorted();
    }
  }

  @Test
  void waitersOfAQueueThatWasLostGoAtTheTimeTheyWerePromised() throws Exception {
    try (Sluice sluice = Sluice.connect(server.uri())) {
      RateLimiter queue =
          sluice.rateLimiter(
              "queue",
              RateLimiterOptions.of(Limit.leakyQueue(20, Duration.ofSeconds(1)).places(100))
                  .deadline(AGES));
      assertThat(queue.tryAcquire("user", 80).allowed()).isTrue(); // four seconds
      List<CompletableFuture<Decision>> waiting = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        waiting.add(queue.async().tryAcquire("user", 1, AGES).toCompletableFuture());
      }
      await().atMost(AGES).until(() -> server.call("ZCARD", "sl:{queue:user}:turns").equals(10L));
      queue.peek("user", 0); // its answer comes after theirs
      server.kill();
      server.restartEmpty();
      for (CompletableFuture<Decision> waiter : waiting) {
        assertThat(waiter.get(20, TimeUnit.SECONDS).allowed()).isTrue();
      }
      await().atMost(AGES).until(() -> queue.tryAcquire("user").source() == Decision.Source.STORE);
    }
  }
}
