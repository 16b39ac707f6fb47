package dev.sluice.bench.systems;

import dev.sluice.Sluice;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Sluice over {@code redis://}, with its default deadline of 50 ms unless told otherwise. */
final class SluiceLimits implements LimitSystem {
  private final Sluice sluice;

  SluiceLimits(String uri) {
    this.sluice = Sluice.connect(uri);
  }

  @Override
  public Gate gate(String name, List<String> keys, Allowance allowance, Habit habit) {
    LimitSystem.require(habit == Habit.PLAIN || habit == Habit.LEASING, allowance, habit);
    Limit limit =
        switch (allowance.shape()) {
          case BUCKET -> Limit.gcra(allowance.capacity(), allowance.count(), allowance.period());
          case WINDOW -> Limit.slidingWindow(allowance.count(), allowance.period());
        };
    RateLimiterOptions usual = RateLimiterOptions.of(limit);
    RateLimiterOptions plain = Deadline.chosen().map(usual::deadline).orElse(usual);
    RateLimiter limiter =
        sluice.rateLimiter(name, habit == Habit.LEASING ? plain.leasingPermits() : plain);
    return new Gate() {
      @Override
      public boolean pass(String key) {
        return passed(limiter.tryAcquire(key));
      }

      @Override
      public CompletionStage<Boolean> passLater(String key) {
        return limiter.async().tryAcquire(key, 1).thenApply(SluiceLimits::passed);
      }
    };
  }

  /** What the outage policy says is not the store's word. */
  private static boolean passed(Decision decision) {
    if (decision.source() == Decision.Source.FALLBACK) {
      throw new IllegalStateException("the outage policy decided: no answer within the deadline");
    }
    return decision.allowed();
  }

  @Override
  public void close() {
    sluice.close();
  }
}
