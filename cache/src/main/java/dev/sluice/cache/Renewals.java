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
 * Values that are loaded anew although they are fresh: because they end soon, or because somebody
 * asks for it. Safe for use by many threads.
 */
final class Renewals<K, V> {

  /** A key is not loaded anew by itself again before this time is over. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ClientCache<K, V> cache;

  /** Keys that are loaded anew before they expire. */
  private final Set<String> underWay = ConcurrentHashMap.newKeySet();

  Renewals(ClientCache<K, V> cache) {
    this.cache = cache;
  }

  /** Loads a value anew, unless the store has one with more than the rest of its life left. */
  void early(K key, CacheKey at, Reader.@Nullable Load<K, V> load, long restNanos) {
    if (load == null || !underWay.add(at.key())) {
      return;
    }
    long token = cache.nearToken(at.key());
    cache
        .line
        .call(() -> cache.engine.backend.read(at)) // another process may have done it
        .thenCompose(
            entry -> {
              boolean done =
                  entry != null && TimeUnit.MICROSECONDS.toNanos(entry.leftMicros()) >= restNanos;
              if (done && cache.settings.nearSize > 0) {
                return cache.judge(key, at, entry, token, null).thenApply(found -> true);
              }
              return done
                  ? CompletableFuture.completedFuture(true)
                  : load(key, at, load).thenApply(any -> true);
            })
        .whenComplete(
            (done, failure) -> {
              if (failure != null && !Failures.isPassing(Failures.unwrap(failure))) {
                cache.warn(at + " was not loaded anew", Failures.unwrap(failure));
              }
              cache.engine.agenda.in(PAUSE_NANOS, () -> underWay.remove(at.key()));
            });
  }

  /** Loads a value anew for somebody who asks for it. */
  CompletableFuture<Optional<V>> asked(K key, Reader.Load<K, V> load) {
    cache.engine.checkOpen();
    CacheKey at = cache.at(cache.settings.text(key));
    Reader<K, V> reader = new Reader<>(key, at, load);
    cache.giveUpInTime(reader);
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
                cache.join(reader);
              } else {
                reader.completeExceptionally(cause);
              }
            });
    return reader;
  }

  /** Loads under a lease although the value may be fresh; null if somebody else loads or writes. */
  private CompletableFuture<@Nullable Optional<V>> load(
      K key, CacheKey at, Reader.Load<K, V> load) {
    CacheEngine engine = cache.engine;
    long attempt = engine.nextAttempt();
    CacheRequest request =
        new CacheRequest(
            at, engine.clientId, attempt, cache.settings.leaseMicros, CacheRequest.Aim.REFRESH);
    return cache
        .line
        .call(() -> engine.backend.begin(request))
        .thenCompose(
            reply -> {
              if (!(reply instanceof CacheReply.Granted)) {
                return CompletableFuture.<@Nullable Optional<V>>completedFuture(null);
              }
              FillLease lease = new FillLease(cache, at, attempt, () -> {});
              return cache
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
    CacheValue value = cache.settings.value(key, loaded.value().orElse(null), loaded.tagVersion());
    return lease
        .fill(value)
        .handle(
            (stored, failure) -> {
              if (Boolean.TRUE.equals(stored)) {
                cache.dropCopy(at.key()); // of what was replaced
              } else {
                cache.counters.fillsRefused.increment();
              }
              return loaded.value();
            });
  }
}
