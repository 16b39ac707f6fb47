package dev.sluice.state;

import dev.sluice.limit.Limit;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Random;

/** Limits and gaps between calls, odd ones among them. */
final class RandomLimits {
  private RandomLimits() {}

  static Limit limit(Random random, Limit.Algorithm algorithm) {
    while (true) {
      try {
        Duration period = Duration.of(period(random), ChronoUnit.MICROS);
        long capacity = 1 + random.nextInt(1 + random.nextInt(40));
        return switch (algorithm) {
          case FIXED_WINDOW -> Limit.fixedWindow(capacity, period);
          case SLIDING_LOG -> Limit.slidingLog(capacity, period);
          case SLIDING_WINDOW ->
              Limit.slidingWindow(capacity, period).slots(1 + random.nextInt(20));
          case EXPIRING_WINDOW -> Limit.expiringWindow(capacity, period);
          case TOKEN_BUCKET -> Limit.tokenBucket(count(random), period).burst(capacity);
          case LEAKY_BUCKET -> Limit.leakyBucket(count(random), period).burst(capacity);
          case GCRA -> Limit.gcra(count(random), period).burst(capacity);
          case LEAKY_QUEUE -> throw new AssertionError("counted in another way");
        };
      } catch (IllegalArgumentException e) {
        // these numbers cannot be counted exactly; the next ones can
      }
    }
  }

  private static long period(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> 1 + random.nextInt(50);
      case 1 -> 1_000_000;
      case 2 -> 1 + random.nextInt(10_000_000);
      default -> 1_000_000L * (1 + random.nextInt(86_400));
    };
  }

  private static long count(Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> 1;
      case 1 -> 1 + random.nextInt(100);
      default -> 1 + random.nextInt(1_000_000);
    };
  }

  /** Time until the next call: often none, sometimes just at an edge. */
  static long gap(Random random, Limit limit, long now, long retry) {
    long window = Admissions.micros(limit);
    long each = Math.max(1, window / limit.count());
    return switch (random.nextInt(8)) {
      case 0, 1 -> 0;
      case 2 -> random.nextInt(3);
      case 3 -> (long) (random.nextDouble() * 2 * each);
      case 4 -> (long) (random.nextDouble() * window / 3);
      case 5 -> Math.max(0, retry - random.nextInt(2));
      case 6 -> Math.max(0, window - now % window - random.nextInt(2));
      default -> random.nextInt(20) == 0 ? (long) (random.nextDouble() * 3 * window) : each;
    };
  }
}
