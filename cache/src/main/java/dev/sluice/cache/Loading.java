package dev.sluice.cache;

import dev.sluice.internal.call.TimerQueue;
import dev.sluice.spi.CacheKey;
import dev.sluice.text.Names;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs loaders: chooses the thread, keeps their order, and detects a loader that loads its own key.
 * Safe for use by many threads.
 */
final class Loading<K, V> {

  /** Keys whose loader runs on this thread. */
  private static final ThreadLocal<Set<CacheKey>> UNDER_WAY = ThreadLocal.withInitial(HashSet::new);

  private final CacheStore store;
  private final CacheSettings<K, V> settings;

  Loading(CacheStore store, CacheSettings<K, V> settings) {
    this.store = store;
    this.settings = settings;
  }

  /** The loader of the cache. */
  Function<? super K, ? extends @Nullable V> loader() {
    Function<? super K, ? extends @Nullable V> loader = settings.loader;
    if (loader == null) {
      throw new IllegalStateException(
          "cache "
              + Names.quoted(settings.name)
              + " has no loader: give one at build, or with the call");
    }
    return loader;
  }

  void checkRecursion(CacheKey at) {
    if (UNDER_WAY.get().contains(at)) {
      throw new IllegalStateException("the loader of " + at + " asked for the same key");
    }
  }

  /** A loader that runs on any thread. It gets an exception if it reads its own key. */
  Reader.Load<K, V> by(Function<? super K, ? extends @Nullable V> loader, Executor executor) {
    return key ->
        CompletableFuture.supplyAsync(
            () -> guarded(Set.of(key), () -> loader.apply(key)), executor);
  }

  /** Runs a loader so that reading its own keys on this thread throws. */
  <T extends @Nullable Object> T guarded(Set<K> keys, Supplier<T> loader) {
    Set<CacheKey> underWay = UNDER_WAY.get();
    List<CacheKey> mine = new ArrayList<>();
    keys.forEach(key -> mine.add(store.at(settings.text(key))));
    underWay.addAll(mine);
    try {
      return loader.get();
    } finally {
      mine.forEach(underWay::remove);
    }
  }

  /**
   * Loads. Never throws.
   *
   * @param queues whether to wait for the turn of the key, in serial mode. A load that stores
   *     nothing because a write has the turn must not wait for it: it may be part of that write
   */
  CompletableFuture<Loaded<V>> load(K key, Reader.Load<K, V> load, boolean queues) {
    try {
      return settings.serial && queues ? inTurn(key, load) : now(key, load);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Loaded<V>> inTurn(K key, Reader.Load<K, V> load) {
    load.waits(key);
    CacheKey at = store.at(settings.text(key));
    return Turn.take(settings.sluice, at, settings.leaseMicros)
        .thenCompose(turn -> now(key, load, turn));
  }

  /** A load that hangs has its turn for no longer than its right to store a value. */
  private CompletableFuture<Loaded<V>> now(K key, Reader.Load<K, V> load, Turn turn) {
    long longest =
        settings.longestLoadNanos() + TimeUnit.MICROSECONDS.toNanos(settings.leaseMicros);
    TimerQueue.Entry end = store.client.timers.in(longest, turn::end);
    return now(key, load)
        .whenComplete(
            (loaded, failure) -> {
              end.cancel();
              turn.end();
            });
  }

  private CompletableFuture<Loaded<V>> now(K key, Reader.Load<K, V> load) {
    if (!settings.tagged) {
      return timed(key, load, 0);
    }
    return store
        .tagVersion()
        .exceptionally(failure -> 0L) // the store is away: any tag that was dropped will be newer
        .thenCompose(version -> timed(key, load, version));
  }

  private CompletableFuture<Loaded<V>> timed(K key, Reader.Load<K, V> load, long tagVersion) {
    Counters counters = store.counters;
    long began = store.client.ticker.nanos();
    return load.start(key)
        .whenComplete(
            (value, failure) -> {
              counters.loadNanos.add(store.client.ticker.nanos() - began);
              (failure == null ? counters.loads : counters.loadFailures).increment();
            })
        .thenApply(value -> new Loaded<>(Optional.ofNullable(value), tagVersion));
  }
}
