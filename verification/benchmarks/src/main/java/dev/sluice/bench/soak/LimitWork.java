package dev.sluice.bench.soak;

import dev.sluice.Sluice;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Rate limits of one hot key and of many, and R1 on the way. */
final class LimitWork {
  private static final int RATE = 100;
  private static final int BURST = 50;
  private static final int USERS = 500;

  /** Two clocks, the store's and ours, over the whole run. */
  private static final double CLOCKS = 1.001;

  private final String prefix;
  private final LoadCounts counts;
  private final AtomicLong admitted = new AtomicLong();
  private final long began = System.nanoTime();

  LimitWork(String prefix, LoadCounts counts) {
    this.prefix = prefix;
    this.counts = counts;
  }

  Work limits(Sluice sluice) {
    RateLimiter hot =
        sluice.rateLimiter(
            prefix + "hot", Limit.tokenBucket(RATE, Duration.ofSeconds(1)).burst(BURST));
    RateLimiter users =
        sluice.rateLimiter(
            prefix + "users",
            Limit.slidingWindow(5, Duration.ofSeconds(2)).name("user"),
            Limit.slidingLog(20, Duration.ofSeconds(1)).name("all").shared());
    return random -> {
      if (random.nextBoolean()) {
        users.tryAcquire("user/" + random.nextInt(USERS));
      } else if (hot.tryAcquire("all").allowed()) {
        long sum = admitted.incrementAndGet();
        double seconds = (System.nanoTime() - began) / 1e9;
        if (sum > BURST + RATE * seconds * CLOCKS) {
          counts.broke("R1", sum + " permits within " + seconds + " s");
        }
      }
      counts.done("limits");
    };
  }
}
