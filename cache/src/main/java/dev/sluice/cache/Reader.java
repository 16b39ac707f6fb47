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

    /** Called when the value of a key is waited for; it may still have to be loaded later. */
    default void waits(K key) {}
  }

  final K key;
  final CacheKey at;
  final Load<K, V> load;

  /** The stale value that may be served; null if there is none. */
  volatile @Nullable Optional<V> stale;

  /** The number of refused fills during this read. */
  int refusals;

  /** The reason why the store is not read; null if it is read. */
  @Nullable Throwable away;

  Reader(K key, CacheKey at, Load<K, V> load) {
    this.key = key;
    this.at = at;
    this.load = load;
  }

  /** Serves the stale value; false if there is none, or it comes too late. */
  boolean serveStale(Counters counters) {
    Optional<V> value = stale;
    if (value == null || !complete(value)) {
      return false;
    }
    counters.stale.increment();
    return true;
  }
}
