package dev.sluice.redis.connection;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the store's clock from its replies. A reply is on its way for a while, so what it says
 * is never later than the truth; of the latest replies the one that was shortest on its way counts.
 * Safe for use by many threads.
 */
public final class StoreClock {
  /** An older measurement is repeated, and does not contradict a newer reply. */
  static final long LASTS_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The store's microseconds minus the local ones, and the time of that reply. */
  private record Sample(long offsetMicros, long atNanos) {}

  private final LongSupplier nanoTime;
  private final AtomicLong askedAt;
  private volatile @Nullable Sample sample;

  public StoreClock(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.askedAt = new AtomicLong(nanoTime.getAsLong());
  }

  /** Whether the caller must read the store's time before other requests. */
  public boolean isDue() {
    Sample known = sample;
    if (known == null) {
      return true;
    }
    long now = nanoTime.getAsLong();
    if (now - known.atNanos < LASTS_NANOS) {
      return false;
    }
    long asked = askedAt.get();
    return now - asked >= ASK_AGAIN_NANOS && askedAt.compareAndSet(asked, now);
  }

  /** The local time, for {@link #heard}. */
  public long nanos() {
    return nanoTime.getAsLong();
  }

  /**
   * Records a reply's time at the store. What is known is replaced by a later time, once it is old,
   * and if it is ahead of what the store can have said: then its clock went back.
   *
   * @param sentAtNanos the process's time before the request left
   */
  public void heard(long micros, long sentAtNanos) {
    long now = nanoTime.getAsLong();
    long offset = micros - Math.floorDiv(now, 1000L);
    long highest = micros - Math.floorDiv(sentAtNanos, 1000L) + 1; // both were rounded
    Sample known = sample;
    if (known == null
        || offset >= known.offsetMicros
        || known.offsetMicros > highest
        || now - known.atNanos >= LASTS_NANOS) {
      sample = new Sample(offset, now);
    }
  }

  public boolean isKnown() {
    return sample != null;
  }

  /** The store's time, in microseconds since the epoch; 0 before the first reply. */
  public long now() {
    Sample known = sample;
    return known == null ? 0 : known.offsetMicros + Math.floorDiv(nanoTime.getAsLong(), 1000L);
  }
}
