package dev.sluice.bench.watch;

import dev.sluice.Sluice;
import dev.sluice.console.FleetReporter;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.lock.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** A process with something to show: locks that it holds, limits that it asks. */
final class Busy {
  static final String READY = "busy";

  private static final int LOCKS = 20;
  private static final int LIMITERS = 10;
  private static final int KEYS = 50;
  private static final long REST_MILLIS = 10;
  private static final Duration MAX_DURATION = Duration.ofMinutes(30);

  private Busy() {}

  /**
   * Runs until it is killed, or for half an hour.
   *
   * @param args the store, and, in order to be seen, a name for this process
   */
  public static void main(String[] args) throws Exception {
    try (Sluice sluice = Sluice.connect(args[0])) {
      if (args.length > 1) {
        FleetReporter.start(sluice, args[1]);
      }
      for (int i = 0; i < LOCKS; i++) {
        String name = "busy-" + sluice.clientId() + "-" + i;
        sluice
            .lock(name, LockOptions.renewing(Duration.ofSeconds(30)))
            .acquire(Duration.ofSeconds(10));
      }
      List<RateLimiter> limiters =
          IntStream.range(0, LIMITERS)
              .mapToObj(
                  i ->
                      sluice.rateLimiter(
                          "busy-" + i, Limit.tokenBucket(100, Duration.ofSeconds(1))))
              .toList();
      System.out.println(READY);
      long end = System.nanoTime() + MAX_DURATION.toNanos();
      while (System.nanoTime() - end < 0) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        limiters.get(random.nextInt(LIMITERS)).tryAcquire("key-" + random.nextInt(KEYS));
        TimeUnit.MILLISECONDS.sleep(REST_MILLIS);
      }
    }
  }
}
