package dev.sluice.verification.cache;

import dev.sluice.Sluice;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheValue;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.verification.cache.VersionedTable.Row;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

/** A process of the fleet, with its own connection to the store. Thread-safe. */
final class Member implements AutoCloseable {
  static final String CACHE = "versions";
  private static final long LONG_MICROS = Duration.ofMinutes(10).toNanos() / 1000;
  private static final long SHORT_MICROS = 15_000;

  /** A write to the database; runs {@code before} ahead of its commit. */
  @FunctionalInterface
  interface Write {
    Row commit(Runnable before);
  }

  final String name;
  final FlakyBackend line;
  private final Sluice sluice;
  private final Scheme scheme;
  private final GuardedCache<Integer, String> cache;
  private final CacheBackend raw;
  private final IntFunction<Row> loader;

  Member(
      String name,
      FlakyBackend line,
      Scheme scheme,
      UnaryOperator<CacheOptions<Integer, String>> settings,
      IntFunction<Row> loader) {
    this.name = name;
    this.line = line;
    this.scheme = scheme;
    this.loader = loader;
    this.sluice = Sluice.builder().backend(line).build();
    this.raw = line.caches();
    this.cache =
        GuardedCache.create(
            sluice,
            CACHE,
            settings.apply(
                CacheOptions.of(Integer.class, Codec.utf8())
                    .ttl((key, value) -> Duration.ofNanos(ttlMicros(key) * 1000))),
            key -> loader.apply(key).text());
  }

  /** Half of the keys expire all the time, the others practically never. */
  private static long ttlMicros(int key) {
    return key % 2 == 0 ? LONG_MICROS : SHORT_MICROS;
  }

  static CacheKey at(int key) {
    return new CacheKey(CACHE, Integer.toString(key));
  }

  Row read(int key) {
    if (scheme == Scheme.GUARDED) {
      return Row.of(cache.get(key).orElseThrow());
    }
    CacheEntry entry = raw.read(at(key)).toCompletableFuture().join();
    byte[] bytes = entry == null ? null : entry.bytes();
    if (bytes != null && entry.isFresh()) {
      return Row.of(new String(bytes, StandardCharsets.UTF_8));
    }
    Row loaded = loader.apply(key);
    store(key, loaded);
    return loaded;
  }

  Row refresh(int key) {
    return scheme == Scheme.GUARDED ? Row.of(cache.refresh(key).orElseThrow()) : read(key);
  }

  Row write(int key, String stamp, Write write) {
    switch (scheme) {
      case GUARDED -> {
        return cache.update(key, () -> write.commit(() -> {}));
      }
      case DELETE_FIRST -> {
        drop(key);
        return write.commit(() -> {});
      }
      case DELETE_AFTER -> {
        Row row = write.commit(() -> {});
        drop(key);
        return row;
      }
      case DOUBLE_DELETE -> {
        drop(key);
        Row row = write.commit(() -> {});
        drop(key);
        return row;
      }
      case UPDATE_AFTER -> {
        Row row = write.commit(() -> {});
        CacheRun.pause(ThreadLocalRandom.current().nextInt(200));
        store(key, row);
        return row;
      }
      case WRITE_THROUGH -> {
        return write.commit(() -> store(key, new Row(Long.MAX_VALUE, stamp)));
      }
    }
    throw new AssertionError(scheme);
  }

  /** Writes to the database, then notifies the cache. */
  Row writeThenInvalidate(int key, String stamp, Write write) {
    if (scheme != Scheme.GUARDED) {
      return write(key, stamp, write);
    }
    Row row = write.commit(() -> {});
    cache.invalidate(key);
    return row;
  }

  private void drop(int key) {
    raw.invalidate(at(key), "raw", 0).toCompletableFuture().join();
  }

  private void store(int key, Row row) {
    byte[] bytes = row.text().getBytes(StandardCharsets.UTF_8);
    raw.put(at(key), new CacheValue(bytes, ttlMicros(key), 0)).toCompletableFuture().join();
  }

  boolean isGuarded() {
    return scheme == Scheme.GUARDED;
  }

  String stats() {
    return cache.stats().toString();
  }

  long hits() {
    return cache.stats().hits() + cache.stats().nearHits();
  }

  long refused() {
    return cache.stats().fillsRefused();
  }

  long pending() {
    return cache.stats().pendingInvalidations();
  }

  @Override
  public void close() {
    sluice.close();
    line.close();
  }
}
