package dev.sluice.cache;

import dev.sluice.internal.call.TimerQueue;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheValue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The right to store a value under load; renewed until then. Safe for use by many threads. */
final class FillLease {
  private final CacheStore store;
  private final CacheClient client;
  private final CacheKey at;
  private final long attempt;
  private final Runnable onLost;
  private final long began;
  private final long periodNanos;
  private final long longestNanos;
  // guarded by this
  private TimerQueue.@Nullable Entry alarm;
  private boolean over;

  /**
   * A lease that was just granted.
   *
   * @param onLost told when it is known to be gone, or is not kept any longer
   */
  FillLease(
      CacheStore store, CacheSettings<?, ?> settings, CacheKey at, long attempt, Runnable onLost) {
    this.store = store;
    this.client = store.client;
    this.at = at;
    this.attempt = attempt;
    this.onLost = onLost;
    this.began = client.ticker.nanos();
    this.periodNanos = TimeUnit.MICROSECONDS.toNanos(settings.leaseMicros) / 3;
    this.longestNanos = settings.longestLoadNanos();
    arm();
  }

  private synchronized void arm() {
    if (!over) {
      alarm = client.timers.in(periodNanos, this::keep);
    }
  }

  private void keep() {
    if (client.ticker.nanos() - began >= longestNanos) {
      onLost.run();
      return;
    }
    store
        .keep(at, attempt)
        .whenComplete(
            (kept, failure) -> {
              if (Boolean.FALSE.equals(kept)) {
                onLost.run();
              } else {
                arm();
              }
            });
  }

  private synchronized void stop() {
    over = true;
    if (alarm != null) {
      alarm.cancel();
    }
  }

  /** Stores a value; false if the lease has ended. */
  CompletableFuture<Boolean> fill(CacheValue value) {
    stop();
    return store.fill(at, attempt, value);
  }

  /** Ends the lease, so that another reader may load. */
  void abandon() {
    stop();
    store.abandon(at, attempt);
  }
}
