package dev.sluice.jdbc.verbs;

import dev.sluice.Sluice;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that takes permits of one key with several threads, when its input says so, and prints
 * how many it got and how many answers were not the store's.
 */
public final class LimitingProcess {
  public static final int CAPACITY = 300;
  static final int THREADS = 4;
  static final int CALLS = 70;

  private LimitingProcess() {}

  /** Begins at the first line of the input. */
  public static void main(String[] args) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    JdbcBackend backend =
        JdbcBackend.builder().url(args[0]).requestTimeout(Duration.ofSeconds(20)).build();
    try (Sluice sluice = Sluice.builder().backend(backend).build()) {
      RateLimiter limiter =
          sluice.rateLimiter(
              "shared",
              RateLimiterOptions.of(
                      Limit.slidingLog(CAPACITY, Duration.ofDays(300)),
                      Limit.tokenBucket(CAPACITY, Duration.ofDays(300)))
                  .deadline(Duration.ofSeconds(20)));
      limiter.peek("key", 1);
      System.out.println("ready");
      in.readLine();
      AtomicInteger admitted = new AtomicInteger();
      AtomicInteger odd = new AtomicInteger();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Thread thread = new Thread(() -> take(limiter, admitted, odd));
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
      System.out.println(admitted + " " + odd);
    }
  }

  private static void take(RateLimiter limiter, AtomicInteger admitted, AtomicInteger odd) {
    for (int i = 0; i < CALLS; i++) {
      Decision decision = limiter.tryAcquire("key");
      admitted.addAndGet(decision.allowed() ? 1 : 0);
      odd.addAndGet(decision.source() == Decision.Source.FALLBACK ? 1 : 0);
    }
  }
}
