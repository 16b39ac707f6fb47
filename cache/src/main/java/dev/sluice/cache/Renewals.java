package dev.sluice.cache;

import dev.sluice.internal.call.Failures;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheValue;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reloads of values that are still fresh: because they expire soon, or because a caller requests
 * it. Safe for use by many threads.
 */
final class Renewals<K, V> {

  /** The time until which a key is not refreshed again. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final KeyLoads<K, V> loads;
  private final CacheStore store;
  private final CacheClient client;
  private final CacheSettings<K, V> settings;
  private final @Nullable NearTier<K, V> near;

  /** Keys that are being reloaded before they expire. */
  private final Set<String> underWay = ConcurrentHashMap.newKeySet();

  Renewals(KeyLoads<K, V> loads, @Nullable NearTier<K, V> near) {
    this.loads = loads;
    this.store = loads.store;
    this.client = store.client;
    this.settings = loads.settings;
    this.near = near;
  }

  /** Refreshes a value, unless the store has one that is younger. */
  void early(K key, CacheKey at, Reader.@Nullable Load<K, V> load, long restNanos) {
    if (load == null || restNanos == 0 || !underWay.add(at.key())) {
      return;
    }
    long token = loads.entries.token(at);
    store
        .read(at) // another process may have done it
        .thenCompose(
            entry -> {
              boolean done =
                  entry != null && TimeUnit.MICROSECONDS.toNanos(entry.leftMicros()) >= restNanos;
              if (done && near != null) {
                return loads.entries.decode(key, at, entry, token).thenApply(found -> true);
              }
              return done
                  ? CompletableFuture.completedFuture(true)
                  : load(key, at, load).thenApply(any -> true);
            })
        .whenComplete(
            (done, failure) -> {
              if (failure != null && !Failures.isPassing(Failures.unwrap(failure))) {
                store.warn(at + " was not reloaded", Failures.unwrap(failure));
              }
              client.timers.in(PAUSE_NANOS, () -> underWay.remove(at.key()));
            });
  }

  /** Reloads a value for a caller that requests it. */
  CompletableFuture<Optional<V>> asked(K key, Reader.Load<K, V> load) {
    client.checkOpen();
    CacheKey at = store.at(settings.text(key));
    Reader<K, V> reader = new Reader<>(key, at, load);
    loads.giveUpInTime(reader);
    load(key, at, load)
        .whenComplete(
            (value, failure) -> {
              if (value != null) {
                reader.complete(value);
                return;
              }
              Throwable cause = failure == null ? null : Failures.unwrap(failure);
              if (cause == null || Failures.isPassing(cause)) {
                reader.away = cause;
                loads.join(reader);
              } else {
                reader.completeExceptionally(cause);
              }
            });
    return reader;
  }

  /**
   * Loads under a lease although the value may be fresh; null if another client loads or writes.
   */
  private CompletableFuture<@Nullable Optional<V>> load(
      K key, CacheKey at, Reader.Load<K, V> load) {
    long attempt = client.nextAttempt();
    return store
        .begin(at, attempt, CacheRequest.Aim.REFRESH)
        .thenCompose(
            reply -> {
              if (!(reply instanceof CacheReply.Granted)) {
                return CompletableFuture.<@Nullable Optional<V>>completedFuture(null);
              }
              FillLease lease = new FillLease(store, settings, at, attempt, () -> {});
              return loads
                  .loading
                  .load(key, load, true)
                  .thenCompose(loaded -> store(key, at, loaded, lease))
                  .whenComplete(
                      (value, failure) -> {
                        if (failure != null) {
                          lease.abandon();
                        }
                      });
            });
  }

  private CompletableFuture<@Nullable Optional<V>> store(
      K key, CacheKey at, Loaded<V> loaded, FillLease lease) {
    CacheValue value = settings.value(key, loaded.value().orElse(null), loaded.tagVersion());
    return lease
        .fill(value)
        .handle(
            (stored, failure) -> {
              if (Boolean.TRUE.equals(stored)) {
                dropCopy(at); // of what was replaced
              } else {
                store.counters.fillsRefused.increment();
              }
              return loaded.value();
            });
  }

  private void dropCopy(CacheKey at) {
    if (near != null) {
      near.drop(at.key());
    }
  }
}
