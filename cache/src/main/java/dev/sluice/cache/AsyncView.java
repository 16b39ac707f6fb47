package dev.sluice.cache;

import static java.util.Objects.requireNonNull;

import dev.sluice.spi.CacheKey;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A cache without blocking. Users go on off the threads of the driver and of the timer. */
final class AsyncView<K, V> implements AsyncGuardedCache<K, V> {
  private final ClientCache<K, V> cache;

  AsyncView(ClientCache<K, V> cache) {
    this.cache = cache;
  }

  @Override
  public CompletableFuture<Optional<V>> get(K key) {
    return told(cache.find(key, cache.loading.by(cache.loading.loader(), cache.client.callbacks)));
  }

  @Override
  public CompletableFuture<Optional<V>> get(
      K key, Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader) {
    requireNonNull(loader, "loader must not be null");
    return told(
        cache.find(
            key,
            wanted ->
                CompletableFuture.supplyAsync(
                        () -> cache.loading.guarded(Set.of(wanted), () -> loader.apply(wanted)),
                        cache.client.callbacks)
                    .thenCompose(stage -> stage.thenApply(value -> (V) value))));
  }

  @Override
  public CompletableFuture<Optional<V>> getIfPresent(K key) {
    return told(cache.findPresent(key));
  }

  @Override
  public CompletableFuture<Map<K, V>> getAll(Collection<? extends K> keys) {
    return told(cache.findAll(keys, cache.client.callbacks));
  }

  @Override
  public CompletableFuture<Void> put(K key, V value) {
    return told(cache.writes.store(key, value, null));
  }

  @Override
  public CompletableFuture<Void> put(K key, V value, Duration ttl) {
    return told(cache.writes.store(key, value, cache.settings.checkTtl(ttl)));
  }

  @Override
  public CompletableFuture<Void> invalidate(K key) {
    return told(cache.writes.drop(cache.settings.text(key)));
  }

  @Override
  public CompletableFuture<Void> invalidateAll(Collection<? extends K> keys) {
    return told(cache.dropAll(keys));
  }

  @Override
  public CompletableFuture<Void> invalidateTag(String tag) {
    return told(cache.dropTag(tag));
  }

  @Override
  public CompletableFuture<Void> clear() {
    return told(cache.dropEverything());
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> update(
      K key, Supplier<? extends CompletionStage<T>> write) {
    requireNonNull(write, "write must not be null");
    CacheKey at = cache.store.at(cache.settings.text(key));
    return told(
        cache
            .writes
            .announce(key, at)
            .thenComposeAsync(announced -> written(write, announced), cache.client.callbacks));
  }

  private static <T extends @Nullable Object> CompletableFuture<T> written(
      Supplier<? extends CompletionStage<T>> write, CacheWrites.Write announced) {
    CompletableFuture<T> result;
    try {
      result = write.get().toCompletableFuture();
    } catch (Throwable t) {
      result = CompletableFuture.failedFuture(t);
    }
    CompletableFuture<T> outcome = result;
    return result
        .handle((value, failure) -> announced.end()) // it may have been written
        .thenCompose(ended -> ended)
        .handle((done, failure) -> outcome.isCompletedExceptionally() ? null : failure)
        .thenCompose(
            failure -> failure == null ? outcome : CompletableFuture.<T>failedFuture(failure));
  }

  @Override
  public CompletableFuture<Optional<V>> refresh(K key) {
    return told(
        cache.renewals.asked(
            key, cache.loading.by(cache.loading.loader(), cache.client.callbacks)));
  }

  private <T extends @Nullable Object> CompletableFuture<T> told(CompletableFuture<T> stage) {
    if (stage.isDone()) {
      return stage;
    }
    CompletableFuture<T> told = stage.thenApplyAsync(value -> value, cache.client.callbacks);
    told.whenComplete(
        (value, failure) -> {
          if (told.isCancelled()) {
            stage.cancel(false); // no load is needed for a caller that has left
          }
        });
    return told;
  }
}
