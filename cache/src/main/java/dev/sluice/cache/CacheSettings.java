package dev.sluice.cache;

import static java.util.Objects.requireNonNull;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.limit.Limit;
import dev.sluice.spi.CacheValue;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The settings of one cache, in the units of the engine. Immutable. */
final class CacheSettings<K, V> {
  static final Duration MAX_TTL = Duration.ofDays(30);
  private static final int MAX_TAGS = 16;

  /** The longest lease of a load without a hard timeout. */
  static final long MAX_LOAD_MICROS = TimeUnit.SECONDS.toMicros(60);

  /** The size of a Redis string, less the header of a value. */
  private static final long MAX_BYTES = (512L << 20) - (64 << 10);

  final Sluice sluice;
  final String name;
  final Function<? super K, String> keyText;
  final Codec<V> codec;
  final @Nullable Function<? super K, ? extends @Nullable V> loader;
  final @Nullable Function<? super Set<K>, ? extends Map<K, V>> bulkLoader;
  final boolean strong;
  final boolean serial;
  final long ttlMicros;
  final long staleMicros;
  final long absentMicros;
  final long leaseMicros;
  final long intentMicros;
  final long nearSize;
  final long nearNanos;
  final long nearStalenessNanos;
  final double earlyRefresh;
  final Duration deadline;
  final Limit fallback;
  final @Nullable Duration softTimeout;
  final @Nullable Duration hardTimeout;
  final @Nullable BloomFilter<? super K> existing;
  final boolean tagged;
  private final @Nullable BiFunction<? super K, ? super V, Duration> ttlOf;
  private final @Nullable BiFunction<? super K, ? super V, ? extends Collection<String>> tags;
  private final double jitter;

  CacheSettings(
      Sluice sluice,
      String name,
      CacheOptionValues<K, V> from,
      @Nullable Function<? super K, ? extends @Nullable V> loader) {
    this.sluice = requireNonNull(sluice, "sluice must not be null");
    this.name = Names.check(name);
    this.keyText = from.keyText;
    this.codec = from.codec;
    this.loader = loader;
    this.bulkLoader = from.bulkLoader;
    this.strong = from.consistency == Consistency.STRONG;
    this.serial = from.serial;
    this.ttlMicros = micros(from.ttl);
    this.staleMicros = micros(from.stale);
    this.absentMicros = micros(from.absentTtl);
    this.leaseMicros = micros(from.fillLease);
    this.intentMicros = micros(from.intent);
    this.nearSize = from.nearSize;
    this.nearNanos = from.nearTtl.toNanos();
    this.nearStalenessNanos = from.nearStaleness.toNanos();
    this.earlyRefresh = from.earlyRefresh;
    this.deadline = from.deadline;
    this.fallback = from.fallback;
    this.softTimeout = from.softTimeout;
    this.hardTimeout = from.hardTimeout;
    this.existing = from.existing;
    this.ttlOf = from.ttlOf;
    this.tags = from.tags;
    this.tagged = from.tags != null;
    this.jitter = from.jitter;
  }

  static long micros(Duration time) {
    return TimeUnit.NANOSECONDS.toMicros(time.toNanos());
  }

  /** A key by its name at the store. */
  String text(K key) {
    if (key == null) {
      throw new NullPointerException("key must not be null");
    }
    return Names.check("key", keyText.apply(key));
  }

  /** The time for which a load excludes others. */
  long longestLoadNanos() {
    return hardTimeout == null
        ? TimeUnit.MICROSECONDS.toNanos(MAX_LOAD_MICROS)
        : hardTimeout.toNanos();
  }

  /** Returns whether loads must not block their caller. */
  boolean isTimed() {
    return softTimeout != null || hardTimeout != null;
  }

  /** The entry to store, with the life of the settings; null for absent. */
  CacheValue value(K key, @Nullable V value, long tagVersion) {
    return value == null
        ? new CacheValue(null, shortened(absentMicros), 0)
        : value(key, value, shortened(ttlMicros(key, value)), tagVersion);
  }

  /** The entry to store, with a separate time to live. */
  CacheValue value(K key, V value, long micros, long tagVersion) {
    byte[] bytes = codec.encode(value);
    if (bytes == null) {
      throw new IllegalArgumentException("the codec returned null for a value of " + what(key));
    }
    checkSize(bytes.length, key);
    return new CacheValue(bytes, micros, staleMicros, tags(key, value), tagVersion);
  }

  void checkSize(long bytes, K key) {
    if (bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a value must be at most 512 MB: that of " + what(key) + " has " + bytes + " bytes");
    }
  }

  private long ttlMicros(K key, V value) {
    return ttlOf == null
        ? ttlMicros
        : micros(checkTtl("the TTL of " + what(key), ttlOf.apply(key, value), MAX_TTL));
  }

  /** Remaining time to live at which a value is reloaded; 0 for never. */
  long refreshNanos(K key, Optional<V> value) {
    if (earlyRefresh == 0) {
      return 0;
    }
    long micros = value.isPresent() ? ttlMicros(key, value.get()) : absentMicros;
    return (long) (TimeUnit.MICROSECONDS.toNanos(micros) * earlyRefresh);
  }

  private List<String> tags(K key, V value) {
    if (tags == null) {
      return List.of();
    }
    List<String> found = List.copyOf(tags.apply(key, value));
    if (found.size() > MAX_TAGS) {
      throw new IllegalArgumentException(
          what(key) + " must have at most " + MAX_TAGS + " tags: " + found.size());
    }
    found.forEach(Names::check);
    return found;
  }

  private long shortened(long micros) {
    return micros == 0
        ? 0
        : Math.max(1, micros - (long) (micros * jitter * ThreadLocalRandom.current().nextDouble()));
  }

  /**
   * The time for which the store must keep the invalidation of a tag: the life of an entry whose
   * load was under way then.
   */
  long longestMicros() {
    long load = hardTimeout == null ? MAX_LOAD_MICROS : micros(hardTimeout);
    return longestTtlMicros() + staleMicros + load + leaseMicros;
  }

  private long longestTtlMicros() {
    return ttlOf == null ? ttlMicros : micros(MAX_TTL);
  }

  /** Checks the life of a single value. */
  Duration checkTtl(Duration ttl) {
    checkTtl("ttl", ttl, MAX_TTL);
    if (tagged && micros(ttl) > longestTtlMicros()) {
      throw new IllegalArgumentException(
          "ttl must not be longer than that of cache "
              + Names.quoted(name)
              + ", since it has tags: "
              + ttl);
    }
    return ttl;
  }

  /** A key, for messages. */
  String what(K key) {
    return Names.quoted(keyText.apply(key)) + " of cache " + Names.quoted(name);
  }

  static Duration checkTtl(String what, Duration ttl, Duration most) {
    return check(what, ttl, Duration.ofMillis(1), most);
  }

  static Duration check(String what, Duration value, Duration least, Duration most) {
    requireNonNull(value, what + " must not be null");
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(what + " must be " + least + " to " + most + ": " + value);
    }
    return value;
  }
}
