package dev.sluice.cache;

import java.util.concurrent.atomic.LongAdder;

/** Counters of a cache. */
final class Counters {
  final LongAdder nearHits = new LongAdder();
  final LongAdder hits = new LongAdder();
  final LongAdder misses = new LongAdder();
  final LongAdder guarded = new LongAdder();
  final LongAdder loads = new LongAdder();
  final LongAdder loadFailures = new LongAdder();
  final LongAdder loadNanos = new LongAdder();
  final LongAdder fillsRefused = new LongAdder();
  final LongAdder stale = new LongAdder();
  final LongAdder fallbackLoads = new LongAdder();
  final LongAdder fallbackRejections = new LongAdder();
  final LongAdder codecFailures = new LongAdder();

  CacheStats read(long pendingInvalidations) {
    return new CacheStats(
        nearHits.sum(),
        hits.sum(),
        misses.sum(),
        guarded.sum(),
        loads.sum(),
        loadFailures.sum(),
        loadNanos.sum(),
        fillsRefused.sum(),
        stale.sum(),
        fallbackLoads.sum(),
        fallbackRejections.sum(),
        codecFailures.sum(),
        pendingInvalidations);
  }
}
