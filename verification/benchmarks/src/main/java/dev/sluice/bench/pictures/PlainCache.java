package dev.sluice.bench.pictures;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Cache-aside as it is usually written: look, on a miss load, store for a fixed time. Shared by all
 * who use it, as a server would be.
 */
final class PlainCache<K> {
  private final LongSupplier clockMicros;
  private final long ttlMicros;
  private final Map<K, Entry> entries = new ConcurrentHashMap<>();

  private record Entry(String value, long ends) {}

  PlainCache(LongSupplier clockMicros, long ttlMicros) {
    this.clockMicros = clockMicros;
    this.ttlMicros = ttlMicros;
  }

  @Nullable String get(K key, Function<K, @Nullable String> loader) {
    long now = clockMicros.getAsLong();
    Entry entry = entries.get(key);
    if (entry != null && entry.ends() > now) {
      return entry.value();
    }
    String loaded = loader.apply(key);
    if (loaded != null) {
      entries.put(key, new Entry(loaded, clockMicros.getAsLong() + ttlMicros));
    }
    return loaded;
  }
}
