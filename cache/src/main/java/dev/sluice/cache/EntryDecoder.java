package dev.sluice.cache;

import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether an entry of the store is fresh, and keeps a copy of fresh ones. Safe for use by
 * many threads.
 */
final class EntryDecoder<K, V> {

  /**
   * A decoded entry.
   *
   * @param fresh the value, or empty for absent; null: not known
   * @param stale what may be served in need; null: nothing
   * @param renewNanos remaining life, in nanoseconds, at which it is reloaded; 0 if not yet due
   */
  record Decoded<V>(@Nullable Optional<V> fresh, @Nullable Optional<V> stale, long renewNanos) {
    static <V> Decoded<V> nothing() {
      return new Decoded<>(null, null, 0);
    }
  }

  private final CacheStore store;
  private final CacheSettings<K, V> settings;
  private final @Nullable NearTier<K, V> near;

  EntryDecoder(CacheStore store, CacheSettings<K, V> settings, @Nullable NearTier<K, V> near) {
    this.store = store;
    this.settings = settings;
    this.near = near;
  }

  /** Read before the request to the store. */
  long token(CacheKey at) {
    return near == null ? 0 : near.token(at.key());
  }

  /**
   * Decodes an entry, and checks with the store whether its tags are still valid.
   *
   * @param token from before the entry was read
   */
  CompletableFuture<Decoded<V>> decode(K key, CacheKey at, @Nullable CacheEntry entry, long token) {
    if (entry == null || entry.tags().isEmpty()) {
      return CompletableFuture.completedFuture(decoded(key, at, entry, token));
    }
    return store
        .isDropped(entry.tags(), entry.tagVersion())
        .thenApply(dropped -> decoded(key, at, dropped ? null : entry, token));
  }

  private Decoded<V> decoded(K key, CacheKey at, @Nullable CacheEntry entry, long token) {
    if (entry == null) {
      return Decoded.nothing();
    }
    Optional<V> value;
    try {
      byte[] bytes = entry.bytes();
      value = bytes == null ? Optional.empty() : Optional.of(settings.codec.decode(bytes));
    } catch (RuntimeException | LinkageError e) {
      store.counters.codecFailures.increment();
      store.warn(at + " cannot be read, and counts as a miss", e);
      return Decoded.nothing();
    }
    if (!entry.isFresh()) {
      return new Decoded<>(null, value, 0);
    }
    long left = TimeUnit.MICROSECONDS.toNanos(entry.leftMicros());
    if (near != null) {
      near.keep(key, at.key(), value, left, token);
    }
    long renew = settings.refreshNanos(key, value);
    return new Decoded<>(value, null, left < renew ? renew : 0);
  }
}
