package dev.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.testkit.Contract;
import java.time.Duration;
import java.util.List;

/**
 * Shared methods of the tests of limits.
 *
 * @since 0.1
 */
public interface LimitContract extends Contract {

  /** The limiter of the test. */
  String NAME = "contract/limit {42}";

  /** The key whose permits are used. */
  String KEY = "user {7}";

  /** A window that outlasts every test. */
  Duration LONG = Duration.ofDays(300);

  /** A window that ends within a test. */
  Duration SHORT = Duration.ofMillis(400);

  /** A deadline that a slow machine can keep. */
  Duration PATIENT = Duration.ofSeconds(20);

  /** One limit of each algorithm except the queue. */
  default List<Limit> each(long permits, Duration window) {
    return List.of(
        Limit.fixedWindow(permits, window),
        Limit.slidingLog(permits, window),
        Limit.slidingWindow(permits, window),
        Limit.tokenBucket(permits, window),
        Limit.leakyBucket(permits, window),
        Limit.gcra(permits, window),
        Limit.expiringWindow(permits, window));
  }

  /** A policy that waits for a slow store. */
  default RateLimiterOptions patient(Limit... limits) {
    return RateLimiterOptions.of(limits).deadline(PATIENT);
  }

  /** Returns limiters that wait for a slow store, one for each algorithm. */
  default RateLimiter limiter(Sluice client, Limit limit) {
    return client.rateLimiter(NAME + "/" + limit.algorithm().word(), patient(limit));
  }

  /** Takes permits one by one until a refusal. */
  default Decision drain(RateLimiter limiter, long most) {
    for (long taken = 0; ; taken++) {
      Decision decision = limiter.tryAcquire(KEY);
      if (!decision.allowed()) {
        return decision;
      }
      assertThat(taken).as("%s lets too many pass", limiter.options().limits()).isLessThan(most);
    }
  }

  /** Permits that pass now, in the tier with the fewest. */
  default long left(RateLimiter limiter) {
    return limiter.peek(KEY, 0).remaining();
  }
}
