package dev.sluice.cache;

import dev.sluice.internal.call.Agenda;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheValue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The right to store what is being loaded; kept alive until then. Safe for use by many threads. */
final class FillLease {
  private final ClientCache<?, ?> cache;
  private final CacheKey at;
  private final long attempt;
  private final Runnable onLost;
  private final long began;
  private final long periodNanos;
  private final long longestNanos;
  // guarded by this
  private Agenda.@Nullable Entry alarm;
  private boolean over;

  /**
   * A lease that was just granted.
   *
   * @param onLost told when it is known to be gone, or is not kept any longer
   */
  FillLease(ClientCache<?, ?> cache, CacheKey at, long attempt, Runnable onLost) {
    this.cache = cache;
    this.at = at;
    this.attempt = attempt;
    this.onLost = onLost;
    this.began = cache.engine.ticker.nanos();
    this.periodNanos = TimeUnit.MICROSECONDS.toNanos(cache.settings.leaseMicros) / 3;
    this.longestNanos = cache.settings.longestLoadNanos();
    arm();
  }

  private synchronized void arm() {
    if (!over) {
      alarm = cache.engine.agenda.in(periodNanos, this::keep);
    }
  }

  private void keep() {
    if (cache.engine.ticker.nanos() - began >= longestNanos) {
      onLost.run();
      return;
    }
    cache
        .line
        .call(
            () ->
                cache.engine.backend.keep(
                    at, cache.engine.clientId, attempt, cache.settings.leaseMicros))
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

  /** Stores a value; false if the lease was gone. */
  CompletableFuture<Boolean> fill(CacheValue value) {
    stop();
    return cache.line.call(
        () -> cache.engine.backend.fill(at, cache.engine.clientId, attempt, value));
  }

  /** Lets others load. */
  void abandon() {
    stop();
    cache.line.call(() -> cache.engine.backend.abandon(at, cache.engine.clientId, attempt));
  }
}
