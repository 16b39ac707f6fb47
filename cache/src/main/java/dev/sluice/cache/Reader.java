package dev.sluice.cache;

import dev.sluice.spi.CacheKey;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A caller that waits for a value that is not cached. */
final class Reader<K, V> extends CompletableFuture<Optional<V>> {

  /** Reads the database, once for all callers that want the value. */
  @FunctionalInterface
  interface Load<K, V> {
    CompletableFuture<@Nullable V> start(K key);

    /** Told when the value of a key is waited for; it may still have to be loaded later. */
    default void waits(K key) {}
  }

  final K key;
  final CacheKey at;
  final Load<K, V> load;

  /** What may be served in need; null: nothing. */
  volatile @Nullable Optional<V> stale;

  /** How often a fill was refused under this reader. */
  int refusals;

  /** Why the store is not to be asked; null: ask it. */
  @Nullable Throwable away;

  Reader(K key, CacheKey at, Load<K, V> load) {
    this.key = key;
    this.at = at;
    this.load = load;
  }

  /** Serves what may be served in need; false if there is nothing, or it comes too late. */
  boolean serveStale(Counters counters) {
    Optional<V> value = stale;
    if (value == null || !complete(value)) {
      return false;
    }
    counters.stale.increment();
    return true;
  }
}
