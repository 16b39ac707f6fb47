package dev.sluice.cache;

import static java.util.Objects.requireNonNull;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.limit.Limit;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link GuardedCache}. All processes that share a cache should have the same. Not
 * safe for use by several threads.
 *
 * @param <K> keys
 * @param <V> values
 */
public final class GuardedCacheBuilder<K, V> {
  private static final Duration MAX_ABSENT_TTL = Duration.ofMinutes(5);

  private final Sluice sluice;
  private final CacheSettings.Draft<K, V> draft;

  GuardedCacheBuilder(
      Sluice sluice, String name, Function<? super K, String> keyText, Codec<V> codec) {
    this.sluice = requireNonNull(sluice, "sluice must not be null");
    this.draft =
        new CacheSettings.Draft<>(
            sluice,
            Names.check(name),
            requireNonNull(keyText, "keyText must not be null"),
            requireNonNull(codec, "codec must not be null"));
  }

  static <K, V> GuardedCacheBuilder<K, V> of(
      Sluice sluice, String name, Class<K> keys, Codec<V> codec) {
    requireNonNull(keys, "keys must not be null");
    boolean plain =
        List.of(String.class, Long.class, Integer.class, UUID.class).contains(keys)
            || keys.isEnum();
    if (!plain) {
      throw new IllegalArgumentException(
          "keys must be String, Long, Integer, UUID or an enum, or come with a function that names"
              + " them: "
              + keys.getName());
    }
    Function<K, String> text =
        keys.isEnum() ? key -> ((Enum<?>) key).name() : key -> key.toString();
    return new GuardedCacheBuilder<>(sluice, name, text, codec);
  }

  /**
   * How long a value is fresh.
   *
   * @param ttl 1 ms to 30 days; 10 minutes unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> ttl(Duration ttl) {
    draft.ttl = CacheSettings.checkTtl("ttl", ttl, CacheSettings.MAX_TTL);
    return this;
  }

  /**
   * How long each value is fresh.
   *
   * @param ttlOf gives 1 ms to 30 days for a key and its value
   * @return this
   */
  public GuardedCacheBuilder<K, V> ttl(BiFunction<? super K, ? super V, Duration> ttlOf) {
    draft.ttlOf = requireNonNull(ttlOf, "ttlOf must not be null");
    return this;
  }

  /**
   * By how much lives differ, so that what was stored together does not expire together: each is
   * shortened by a random share up to this one.
   *
   * @param share 0 to 0.9; 0.1 unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> jitter(double share) {
    if (!(share >= 0 && share <= 0.9)) {
      throw new IllegalArgumentException("jitter must be 0 to 0.9: " + share);
    }
    draft.jitter = share;
    return this;
  }

  /**
   * How long "there is no such thing" is remembered.
   *
   * @param ttl 1 ms to 5 minutes, or zero for not at all; 60 s unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> absentTtl(Duration ttl) {
    requireNonNull(ttl, "absentTtl must not be null");
    draft.absentTtl = ttl.isZero() ? ttl : CacheSettings.checkTtl("absentTtl", ttl, MAX_ABSENT_TTL);
    return this;
  }

  /**
   * Keeps copies in this process. They may be older than what the store has by {@link
   * #nearStaleness} at most.
   *
   * @param entries most copies, 1 to 10^9
   * @return this
   */
  public GuardedCacheBuilder<K, V> near(long entries) {
    if (entries < 1 || entries > 1_000_000_000) {
      throw new IllegalArgumentException("near must be 1 to 10^9 entries: " + entries);
    }
    draft.nearSize = entries;
    return this;
  }

  /**
   * How long a copy lives, if the value does not end before.
   *
   * @param ttl 1 ms to 30 days; 1 minute unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> nearTtl(Duration ttl) {
    draft.nearTtl = CacheSettings.checkTtl("nearTtl", ttl, CacheSettings.MAX_TTL);
    return this;
  }

  /**
   * How long a copy may be served after its value was invalidated by another process, whatever
   * happens to the network in between.
   *
   * @param bound 100 ms to 1 minute; 1 s unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> nearStaleness(Duration bound) {
    draft.nearStaleness =
        CacheSettings.check("nearStaleness", bound, Duration.ofMillis(100), Duration.ofMinutes(1));
    return this;
  }

  /**
   * Answers "absent" without a load for keys that a Bloom filter does not have. {@link
   * GuardedCache#update} adds its key to the filter before it writes.
   *
   * @param existing every key that exists in the database
   * @return this
   */
  public GuardedCacheBuilder<K, V> existsIn(BloomFilter<? super K> existing) {
    draft.existing = requireNonNull(existing, "existing must not be null");
    return this;
  }

  /**
   * Keeps values after they expired, and serves them when a load fails, takes longer than the soft
   * timeout, or when the store is away. What was invalidated is not served.
   *
   * @param stale how long, zero to 30 days; zero unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> staleOnError(Duration stale) {
    draft.stale = CacheSettings.check("staleOnError", stale, Duration.ZERO, CacheSettings.MAX_TTL);
    return this;
  }

  /**
   * Loads a value anew before it expires, once in the fleet, when it is asked for in the last part
   * of its life.
   *
   * @param part of the time to live, 0 to 0.9; 0, for never, unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> earlyRefresh(double part) {
    if (!(part >= 0 && part <= 0.9)) {
      throw new IllegalArgumentException("earlyRefresh must be 0 to 0.9: " + part);
    }
    draft.earlyRefresh = part;
    return this;
  }

  /**
   * After what time a reader gets the stale value, if there is one, while the load goes on. Loads
   * then run on the client's executor.
   *
   * @param timeout 1 ms to 1 hour; none unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> softTimeout(Duration timeout) {
    draft.softTimeout = checkTimeout("softTimeout", timeout);
    return this;
  }

  /**
   * After what time a reader gives up, while the load goes on. Loads then run on the client's
   * executor.
   *
   * @param timeout 1 ms to 1 hour; none unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> hardTimeout(Duration timeout) {
    draft.hardTimeout = checkTimeout("hardTimeout", timeout);
    return this;
  }

  /**
   * Chooses what a read may return after a write.
   *
   * @param consistency {@link Consistency#EVENTUAL} unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> consistency(Consistency consistency) {
    draft.consistency = requireNonNull(consistency, "consistency must not be null");
    return this;
  }

  /**
   * Puts loads and writes of one key into one queue, through a lock.
   *
   * @return this
   */
  public GuardedCacheBuilder<K, V> serial() {
    draft.serial = true;
    return this;
  }

  /**
   * Gives entries tags, by which they can be dropped together. A hit on a tagged entry costs one
   * more round trip.
   *
   * @param tags gives the tags of a key and its value, each 1 to 512 bytes of UTF-8, at most 16
   * @return this
   */
  public GuardedCacheBuilder<K, V> tags(
      BiFunction<? super K, ? super V, ? extends Collection<String>> tags) {
    draft.tags = requireNonNull(tags, "tags must not be null");
    return this;
  }

  /**
   * Most time for a call to the store, after which the cache goes on without it.
   *
   * @param deadline 1 ms to 1 minute; 100 ms unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> deadline(Duration deadline) {
    draft.deadline =
        CacheSettings.check("deadline", deadline, Duration.ofMillis(1), Duration.ofMinutes(1));
    return this;
  }

  /**
   * How long others wait for a process that died while it loaded. A live one lengthens its lease.
   *
   * @param lease 10 ms to 1 minute; 3 s unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> fillLease(Duration lease) {
    draft.fillLease =
        CacheSettings.check("fillLease", lease, Duration.ofMillis(10), Duration.ofMinutes(1));
    return this;
  }

  /**
   * How long nothing is cached for a key after a process died while it wrote. A live one lengthens
   * its announcement.
   *
   * @param intent 10 ms to 10 minutes, longer than a commit takes; 10 s unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> intent(Duration intent) {
    draft.intent =
        CacheSettings.check("intent", intent, Duration.ofMillis(10), Duration.ofMinutes(10));
    return this;
  }

  /**
   * How many loads of this process reach the database while the store is away.
   *
   * @param limit counted in this process; 100 a second in a token bucket unless set
   * @return this
   */
  public GuardedCacheBuilder<K, V> fallback(Limit limit) {
    requireNonNull(limit, "limit must not be null");
    if (limit.algorithm() == Limit.Algorithm.LEAKY_QUEUE) {
      throw new IllegalArgumentException("fallback must not be a queue: " + limit);
    }
    draft.fallback = limit;
    return this;
  }

  /**
   * Loads many keys at once, for {@link GuardedCache#getAll}.
   *
   * @param loader gives the values of those keys that exist
   * @return this
   */
  public GuardedCacheBuilder<K, V> bulkLoader(
      Function<? super Set<K>, ? extends Map<K, V>> loader) {
    draft.bulkLoader = requireNonNull(loader, "loader must not be null");
    return this;
  }

  /**
   * Makes a cache whose reads bring their own loaders.
   *
   * @return the cache
   * @throws IllegalArgumentException if settings do not go together
   * @throws UnsupportedOperationException if the store has no caches, or cannot give what {@link
   *     Consistency#STRONG} promises
   */
  public GuardedCache<K, V> build() {
    return make(null);
  }

  /**
   * Makes a cache.
   *
   * @param loader reads the database; null means absent
   * @return the cache
   * @throws IllegalArgumentException if settings do not go together
   * @throws UnsupportedOperationException if the store has no caches, or cannot give what {@link
   *     Consistency#STRONG} promises
   */
  public GuardedCache<K, V> build(Function<? super K, ? extends @Nullable V> loader) {
    return make(requireNonNull(loader, "loader must not be null"));
  }

  private GuardedCache<K, V> make(@Nullable Function<? super K, ? extends @Nullable V> loader) {
    if (draft.consistency == Consistency.STRONG) {
      refuse(
          draft.nearSize > 0,
          "near: copies in other processes would be older than what was written");
      refuse(!draft.stale.isZero(), "staleOnError");
    }
    if (draft.softTimeout != null && draft.stale.isZero()) {
      throw new IllegalArgumentException("softTimeout needs staleOnError: nothing could be served");
    }
    return CacheEngine.of(sluice).cache(new CacheSettings<>(draft, loader));
  }

  private static void refuse(boolean wrong, String what) {
    if (wrong) {
      throw new IllegalArgumentException("STRONG does not go with " + what);
    }
  }

  private static Duration checkTimeout(String what, Duration timeout) {
    return CacheSettings.check(what, timeout, Duration.ofMillis(1), Duration.ofHours(1));
  }
}
