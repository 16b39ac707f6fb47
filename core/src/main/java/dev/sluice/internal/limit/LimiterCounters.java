package dev.sluice.internal.limit;

import dev.sluice.limit.Decision;
import dev.sluice.limit.RateLimiterStats;
import java.util.concurrent.atomic.LongAdder;

/** Counts the decisions of one limiter. Safe for use by many threads. */
final class LimiterCounters {
  private final LongAdder allowed = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder fromLease = new LongAdder();
  private final LongAdder fromMemo = new LongAdder();
  private final LongAdder fromFallback = new LongAdder();
  private final LongAdder clockSteps = new LongAdder();

  /** Counts a decision and hands it on. */
  Decision count(Decision decision, int steps) {
    (decision.allowed() ? allowed : refused).increment();
    switch (decision.source()) {
      case LEASE -> fromLease.increment();
      case MEMO -> fromMemo.increment();
      case FALLBACK -> fromFallback.increment();
      case STORE -> {
        if (steps > 0) {
          clockSteps.add(steps);
        }
      }
    }
    return decision;
  }

  RateLimiterStats stats(long trips) {
    return new RateLimiterStats(
        allowed.sum(),
        refused.sum(),
        trips,
        fromLease.sum(),
        fromMemo.sum(),
        fromFallback.sum(),
        clockSteps.sum());
  }
}
