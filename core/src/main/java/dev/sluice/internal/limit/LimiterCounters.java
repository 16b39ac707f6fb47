package dev.sluice.internal.limit;

import dev.sluice.limit.Decision;
import dev.sluice.limit.RateLimiterStats;
import dev.sluice.limit.Settlement;
import dev.sluice.limit.SettlementStats;
import dev.sluice.spi.SettleRequest;
import java.util.concurrent.atomic.LongAdder;

/** Counts the decisions and settlements of one limiter. Safe for use by many threads. */
final class LimiterCounters {
  private final LongAdder allowed = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder fromLease = new LongAdder();
  private final LongAdder fromMemo = new LongAdder();
  private final LongAdder fromFallback = new LongAdder();
  private final LongAdder clockSteps = new LongAdder();
  private final LongAdder settled = new LongAdder();
  private final LongAdder refunded = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final LongAdder late = new LongAdder();
  private final LongAdder notHeld = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder overestimated = new LongAdder();
  private final LongAdder underestimated = new LongAdder();

  /** Counts a decision and returns it. */
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

  /** Counts the store's answer to a settlement. */
  void count(SettleRequest request, Settlement settlement) {
    if (settlement != Settlement.COUNTED) {
      countUnchanged(settlement);
      return;
    }
    (request.unused() ? refunded : settled).increment();
    long more = request.unused() ? -request.estimate() : request.actual() - request.estimate();
    (more < 0 ? overestimated : underestimated).add(Math.abs(more));
  }

  /** Counts a settlement without a change, and returns it. */
  Settlement countUnchanged(Settlement settlement) {
    switch (settlement) {
      case REPEATED -> repeated.increment();
      case LATE -> late.increment();
      case NOT_HELD -> notHeld.increment();
      case COUNTED -> throw new IllegalArgumentException("a settlement that counts");
    }
    return settlement;
  }

  void countFailedSettlement() {
    failed.increment();
  }

  RateLimiterStats stats(long trips) {
    return new RateLimiterStats(
        allowed.sum(),
        refused.sum(),
        trips,
        fromLease.sum(),
        fromMemo.sum(),
        fromFallback.sum(),
        clockSteps.sum(),
        new SettlementStats(
            settled.sum(),
            refunded.sum(),
            repeated.sum(),
            late.sum(),
            notHeld.sum(),
            failed.sum(),
            overestimated.sum(),
            underestimated.sum()));
  }
}
