package dev.sluice.redis.verbs;

import dev.sluice.Sluice;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.redis.PatientClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A process of its own that uses limiters as it is told, one order a line: {@code hammer}, {@code
 * enter}, {@code cancel}, {@code turns}. It ends with its input.
 */
final class LimitWorker {
  static final String KEY = "hot";
  private static final Duration PATIENT = Duration.ofSeconds(60);

  private final Sluice sluice;

  /** In the order of their tickets, from 1. */
  private final List<CompletableFuture<Decision>> waiters = new ArrayList<>();

  private final List<CompletableFuture<Long>> turns = new ArrayList<>();

  private LimitWorker(Sluice sluice) {
    this.sluice = sluice;
  }

  public static void main(String[] args) throws Exception {
    try (Sluice sluice = PatientClient.connect(args[0]);
        BufferedReader orders =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      LimitWorker worker = new LimitWorker(sluice);
      say("ready " + sluice.clientId());
      for (String order = orders.readLine(); order != null; order = orders.readLine()) {
        worker.obey(order.split(" ", 5));
      }
    } catch (IOException e) {
      System.err.println("orders ended: " + e);
    }
  }

  static long wallMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private void obey(String[] order) throws Exception {
    switch (order[0]) {
      case "hammer" -> {
        RateLimiter limiter = limiter(order[1], order[4], order[2].equals("leasing"));
        String[] numbers = order[3].split(",");
        hammer(limiter, Integer.parseInt(numbers[0]), Long.parseLong(numbers[1]));
      }
      case "enter" -> enter(limiter(order[1], order[4], false), Integer.parseInt(order[2]));
      case "cancel" -> say("cancelled " + waiters.get(ticket(order)).cancel(false));
      case "turn" -> say("turn " + turns.get(ticket(order)).get());
      default -> throw new IllegalArgumentException(order[0]);
    }
  }

  private static int ticket(String[] order) {
    return Integer.parseInt(order[1]) - 1;
  }

  private RateLimiter limiter(String name, String limit, boolean leasing) {
    RateLimiterOptions options = RateLimiterOptions.of(Limit.parse(limit)).deadline(PATIENT);
    return sluice.rateLimiter(name, leasing ? options.leasing() : options);
  }

  /** So many threads ask without a pause; then every admission is told. */
  private static void hammer(RateLimiter limiter, int threads, long millis) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CountDownLatch start = new CountDownLatch(threads);
    List<Future<StringBuilder>> parts = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      parts.add(
          pool.submit(
              () -> {
                StringBuilder admitted = new StringBuilder();
                start.countDown();
                start.await();
                long end = wallMicros() + millis * 1000;
                for (long asked = wallMicros(); asked < end; asked = wallMicros()) {
                  if (limiter.tryAcquire(KEY).allowed()) {
                    admitted.append(asked).append(' ').append(wallMicros()).append('\n');
                  }
                }
                return admitted;
              }));
    }
    for (Future<StringBuilder> part : parts) {
      System.out.print(part.get());
    }
    pool.shutdown();
    say("done " + limiter.stats().trips() + " " + limiter.stats().fromFallback());
  }

  private void enter(RateLimiter limiter, int callers) {
    for (int i = 0; i < callers; i++) {
      CompletableFuture<Decision> waiter =
          limiter.async().tryAcquire(KEY, 1, Duration.ofMinutes(1)).toCompletableFuture();
      waiters.add(waiter);
      turns.add(waiter.thenApply(decision -> decision.allowed() ? wallMicros() : 0));
    }
    say("entered " + waiters.size());
  }
}
