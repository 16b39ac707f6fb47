package dev.sluice.cache;

import dev.sluice.internal.call.TimerQueue;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Gathers loads of many keys into calls of one loader. Safe for use by many threads. */
final class BulkLoad<K, V> implements Reader.Load<K, V> {
  /** The time for which keys that other processes failed to load are collected. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Loading<K, V> loading;
  private final TimerQueue timers;
  private final Function<? super Set<K>, ? extends Map<K, V>> loader;
  private final Executor executor;
  private final int keys;
  // guarded by this
  private final Set<K> decided = new HashSet<>();
  private Map<K, CompletableFuture<@Nullable V>> asked = new LinkedHashMap<>();

  /**
   * Loads the values of one call.
   *
   * @param executor runs the loader
   * @param keys how many keys were asked for
   */
  BulkLoad(
      Loading<K, V> loading,
      TimerQueue timers,
      Function<? super Set<K>, ? extends Map<K, V>> loader,
      Executor executor,
      int keys) {
    this.loading = loading;
    this.timers = timers;
    this.loader = loader;
    this.executor = executor;
    this.keys = keys;
  }

  @Override
  public CompletableFuture<@Nullable V> start(K key) {
    CompletableFuture<@Nullable V> value = new CompletableFuture<>();
    synchronized (this) {
      if (decided.size() == keys && asked.isEmpty()) {
        timers.in(PATIENCE_NANOS, this::send);
      }
      asked.put(key, value);
    }
    decided(key);
    return value;
  }

  @Override
  public void waits(K key) {
    decided(key);
  }

  /** Completes a key that was requested, or that need not be waited for. */
  void decided(K key) {
    synchronized (this) {
      if (!decided.add(key) || decided.size() < keys) {
        return;
      }
    }
    send();
  }

  private void send() {
    Map<K, CompletableFuture<@Nullable V>> taken;
    synchronized (this) {
      taken = asked;
      asked = new LinkedHashMap<>();
    }
    if (!taken.isEmpty()) {
      executor.execute(() -> load(taken));
    }
  }

  private void load(Map<K, CompletableFuture<@Nullable V>> taken) {
    try {
      Map<K, V> values = loading.guarded(taken.keySet(), () -> loader.apply(taken.keySet()));
      taken.forEach((key, value) -> value.complete(values.get(key)));
    } catch (Throwable t) {
      taken.values().forEach(value -> value.completeExceptionally(t));
    }
  }
}
