package dev.sluice.cache;

import dev.sluice.internal.call.TimerQueue;
import dev.sluice.spi.CacheKey;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The announcement of a write; kept alive while the write runs. Safe for use by many threads. */
final class WriteIntent {
  private final CacheStore store;
  private final CacheKey at;
  private final long attempt;
  private final long periodNanos;
  // guarded by this
  private TimerQueue.@Nullable Entry alarm;
  private boolean over;
  private boolean announced;
  private boolean lapsed;

  WriteIntent(CacheStore store, CacheSettings<?, ?> settings, CacheKey at) {
    this.store = store;
    this.at = at;
    this.attempt = store.client.nextAttempt();
    this.periodNanos = TimeUnit.MICROSECONDS.toNanos(settings.intentMicros) / 3;
  }

  /** Drops the value, and prevents others from storing one. */
  CompletableFuture<Boolean> announce() {
    return store
        .intend(at, attempt)
        .whenComplete(
            (stood, failure) -> {
              if (stood != null) {
                announced(stood);
              }
              arm();
            });
  }

  private synchronized void announced(boolean stood) {
    lapsed |= announced && !stood;
    announced = true;
  }

  /**
   * Reads from the store whether the intent has existed since it was announced. An answer from
   * before the write returned does not count: the store may have lost the intent since, and have
   * been filled.
   */
  CompletableFuture<Boolean> hasStood() {
    boolean wasAnnounced;
    synchronized (this) {
      wasAnnounced = announced;
    }
    return announce().handle((stood, failure) -> wasAnnounced && failure == null && hasNotLapsed());
  }

  private synchronized boolean hasNotLapsed() {
    return !lapsed;
  }

  private synchronized void arm() {
    if (!over) {
      alarm = store.client.timers.in(periodNanos, this::announce);
    }
  }

  /** Invalidates the value once more, and allows other stores. */
  CompletableFuture<Void> end() {
    synchronized (this) {
      over = true;
      if (alarm != null) {
        alarm.cancel();
      }
    }
    return store.drop(at, attempt);
  }
}
