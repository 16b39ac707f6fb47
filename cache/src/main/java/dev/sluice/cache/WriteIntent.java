package dev.sluice.cache;

import dev.sluice.internal.Agenda;
import dev.sluice.spi.CacheKey;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The announcement of a write; kept alive while the write runs. Safe for use by many threads. */
final class WriteIntent {
  private final ClientCache<?, ?> cache;
  private final CacheKey at;
  private final long attempt;
  private final long periodNanos;
  // guarded by this
  private Agenda.@Nullable Entry alarm;
  private boolean over;
  private boolean lapsed;

  /** When the last announcement that was confirmed was sent; null: none was. */
  private @Nullable Long announcedAt;

  WriteIntent(ClientCache<?, ?> cache, CacheKey at) {
    this.cache = cache;
    this.at = at;
    this.attempt = cache.engine.nextAttempt();
    this.periodNanos = TimeUnit.MICROSECONDS.toNanos(cache.settings.intentMicros) / 3;
  }

  /** Drops the value, and keeps others from storing one. */
  CompletableFuture<Boolean> announce() {
    long sent = cache.engine.ticker.nanos();
    return cache
        .line
        .call(
            () ->
                cache.engine.backend.intend(
                    at, cache.engine.clientId, attempt, cache.settings.intentMicros))
        .whenComplete(
            (stood, failure) -> {
              if (stood != null) {
                announced(sent, stood);
              }
              arm();
            });
  }

  private synchronized void announced(long sent, boolean stood) {
    lapsed |= announcedAt != null && !stood;
    announcedAt = sent;
  }

  /** Whether the intent has stood since it was announced, and still does. */
  synchronized boolean stands() {
    return announcedAt != null
        && !lapsed
        && cache.engine.ticker.nanos() - announcedAt < 2 * periodNanos;
  }

  private synchronized void arm() {
    if (!over) {
      alarm = cache.engine.agenda.in(periodNanos, this::announce);
    }
  }

  /** Drops the value once more, and lets others store. */
  CompletableFuture<Void> end() {
    synchronized (this) {
      over = true;
      if (alarm != null) {
        alarm.cancel();
      }
    }
    return cache.writes.dropAtStore(at.key(), attempt);
  }
}
