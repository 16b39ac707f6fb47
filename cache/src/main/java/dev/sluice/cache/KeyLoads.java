package dev.sluice.cache;

import dev.sluice.internal.call.Failures;
import dev.sluice.spi.CacheKey;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The keys of one cache that readers wait for. Safe for use by many threads. */
final class KeyLoads<K, V> {
  final CacheStore store;
  final CacheSettings<K, V> settings;
  final EntryDecoder<K, V> entries;
  final Loading<K, V> loading;
  private final ConcurrentHashMap<String, KeyLoad<K, V>> loads = new ConcurrentHashMap<>();

  /** Loads under way that no reader can join any more. */
  private final Set<KeyLoad<K, V>> cutOff = ConcurrentHashMap.newKeySet();

  KeyLoads(
      CacheStore store,
      CacheSettings<K, V> settings,
      EntryDecoder<K, V> entries,
      Loading<K, V> loading) {
    this.store = store;
    this.settings = settings;
    this.entries = entries;
    this.loading = loading;
  }

  /** Adds a reader to the readers of the same key. */
  void join(Reader<K, V> reader) {
    if (reader.isDone()) {
      return;
    }
    String text = reader.at.key();
    KeyLoad<K, V> load = current(reader.at);
    while (!load.join(reader)) {
      loads.remove(text, load); // it is over
      load = current(reader.at);
    }
    if (store.client.isClosed()) { // perhaps no reader looks for it any more
      reader.completeExceptionally(Failures.closed());
    }
  }

  private KeyLoad<K, V> current(CacheKey at) {
    return loads.computeIfAbsent(at.key(), any -> new KeyLoad<>(this, at));
  }

  boolean isCurrent(CacheKey at, KeyLoad<K, V> load) {
    return loads.get(at.key()) == load;
  }

  void forget(CacheKey at, KeyLoad<K, V> load) {
    loads.remove(at.key(), load);
    cutOff.remove(load);
  }

  /** Closes a load to further readers. */
  void cutOff(CacheKey at, KeyLoad<K, V> load) {
    cutOff.add(load);
    loads.remove(at.key(), load);
  }

  void wake(String text) {
    KeyLoad<K, V> load = loads.get(text);
    if (load != null) {
      store.client.callbacks.execute(load::wake);
    }
  }

  /** Ends the wait of a reader after the timeouts of the cache. */
  void giveUpInTime(Reader<K, V> reader) {
    Duration soft = settings.softTimeout;
    Duration hard = settings.hardTimeout;
    if (soft != null && reader.stale != null) {
      after(soft, reader, () -> reader.serveStale(store.counters));
    }
    if (hard != null) {
      after(hard, reader, () -> timedOut(reader, hard));
    }
  }

  private void after(Duration time, Reader<K, V> reader, Runnable task) {
    var entry = store.client.timers.in(time.toNanos(), () -> store.client.callbacks.execute(task));
    reader.whenComplete((value, failure) -> entry.cancel());
  }

  private void timedOut(Reader<K, V> reader, Duration hard) {
    store.counters.loadFailures.increment();
    serveStaleOr(
        reader,
        new CacheLoadException(
            reader.at + ": not loaded within hardTimeout " + hard + "; the load continues", null));
  }

  void serveStaleOr(Reader<K, V> reader, Throwable failure) {
    if (!reader.serveStale(store.counters)) {
      reader.completeExceptionally(failure);
    }
  }

  /** Excludes later readers from the load under way. */
  void detach(String text) {
    KeyLoad<K, V> load = loads.get(text);
    if (load != null) {
      load.detach();
    }
  }

  void detachAll() {
    loads.values().forEach(KeyLoad::detach);
  }

  void close() {
    loads.values().forEach(KeyLoad::close);
    cutOff.forEach(KeyLoad::close);
  }
}
