package dev.sluice.flashsale;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;

/** Counts requests and how long they took. Safe for use by many threads. */
final class RequestMeter {
  private static final long MAX_MICROS = 600_000_000;

  private final LongAdder sold = new LongAdder();
  private final LongAdder soldOut = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final ConcurrentHistogram micros = new ConcurrentHistogram(MAX_MICROS, 2);
  private final AtomicLong firstNanos = new AtomicLong(Long.MAX_VALUE);
  private final AtomicLong lastNanos = new AtomicLong(Long.MIN_VALUE);

  /** The end of a request. */
  enum End {
    SOLD,
    SOLD_OUT,
    FAILED,
    /** Turned away by the limit before any seller was asked. */
    REFUSED
  }

  void add(End end, long startNanos, long endNanos) {
    firstNanos.accumulateAndGet(startNanos, Math::min);
    lastNanos.accumulateAndGet(endNanos, Math::max);
    if (end == End.SOLD || end == End.FAILED) { // to refuse is cheap, and would hide the sale
      micros.recordValue(Math.min(MAX_MICROS, Math.max(0, endNanos - startNanos) / 1000));
    }
    switch (end) {
      case SOLD -> sold.increment();
      case SOLD_OUT -> soldOut.increment();
      case FAILED -> failed.increment();
      case REFUSED -> refused.increment();
    }
  }

  /**
   * A look at the meter.
   *
   * @param requests answered ones; those under way count when they end
   * @param p50Millis time of those who wanted a unit while there was one; so the other times
   * @param perSecond requests over the time from the first request's start to the last one's end
   */
  record Reading(
      long requests,
      long sold,
      long soldOut,
      long failed,
      long refused,
      double perSecond,
      double p50Millis,
      double p99Millis,
      double maxMillis) {}

  Reading read() {
    long requests = sold.sum() + soldOut.sum() + failed.sum() + refused.sum();
    double seconds = requests == 0 ? 0 : (lastNanos.get() - firstNanos.get()) / 1e9;
    return new Reading(
        requests,
        sold.sum(),
        soldOut.sum(),
        failed.sum(),
        refused.sum(),
        seconds <= 0 ? 0 : Math.round(requests / seconds * 10) / 10.0,
        micros.getValueAtPercentile(50) / 1000.0,
        micros.getValueAtPercentile(99) / 1000.0,
        micros.getMaxValue() / 1000.0);
  }
}
