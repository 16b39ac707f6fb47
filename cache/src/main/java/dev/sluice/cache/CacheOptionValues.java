package dev.sluice.cache;

import dev.sluice.bloom.BloomFilter;
import dev.sluice.limit.Limit;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The values of the options of a cache, each checked against its range. Written by its one owner
 * before others see it.
 */
final class CacheOptionValues<K, V> {
  final Function<? super K, String> keyText;
  final Codec<V> codec;

  Consistency consistency = Consistency.EVENTUAL;
  Duration ttl = Duration.ofMinutes(10);
  @Nullable BiFunction<? super K, ? super V, Duration> ttlOf;
  double jitter = 0.1;
  Duration absentTtl = Duration.ofSeconds(60);
  long nearSize;
  Duration nearTtl = Duration.ofMinutes(1);
  Duration nearStaleness = Duration.ofSeconds(1);
  @Nullable BloomFilter<? super K> existing;
  Duration stale = Duration.ZERO;
  double earlyRefresh;
  @Nullable Duration softTimeout;
  @Nullable Duration hardTimeout;
  boolean serial;
  @Nullable BiFunction<? super K, ? super V, ? extends Collection<String>> tags;
  Duration deadline = Duration.ofMillis(100);
  Duration fillLease = Duration.ofSeconds(3);
  Duration intent = Duration.ofSeconds(10);
  Limit fallback = Limit.tokenBucket(100, Duration.ofSeconds(1));
  @Nullable Function<? super Set<K>, ? extends Map<K, V>> bulkLoader;

  CacheOptionValues(Function<? super K, String> keyText, Codec<V> codec) {
    this.keyText = keyText;
    this.codec = codec;
  }

  CacheOptionValues(CacheOptionValues<K, V> from) {
    this(from.keyText, from.codec);
    this.consistency = from.consistency;
    this.ttl = from.ttl;
    this.ttlOf = from.ttlOf;
    this.jitter = from.jitter;
    this.absentTtl = from.absentTtl;
    this.nearSize = from.nearSize;
    this.nearTtl = from.nearTtl;
    this.nearStaleness = from.nearStaleness;
    this.existing = from.existing;
    this.stale = from.stale;
    this.earlyRefresh = from.earlyRefresh;
    this.softTimeout = from.softTimeout;
    this.hardTimeout = from.hardTimeout;
    this.serial = from.serial;
    this.tags = from.tags;
    this.deadline = from.deadline;
    this.fillLease = from.fillLease;
    this.intent = from.intent;
    this.fallback = from.fallback;
    this.bulkLoader = from.bulkLoader;
  }

  /** All values, in the order of the fields; functions are equal if they are the same object. */
  List<@Nullable Object> all() {
    return Arrays.asList(
        keyText,
        codec,
        consistency,
        ttl,
        ttlOf,
        jitter,
        absentTtl,
        nearSize,
        nearTtl,
        nearStaleness,
        existing,
        stale,
        earlyRefresh,
        softTimeout,
        hardTimeout,
        serial,
        tags,
        deadline,
        fillLease,
        intent,
        fallback,
        bulkLoader);
  }
}
