package dev.sluice.cache;

import static java.util.Objects.requireNonNull;

import dev.sluice.bloom.BloomFilter;
import dev.sluice.limit.Limit;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link GuardedCache}. An immutable value: a factory takes what every cache needs,
 * and each further method returns a changed copy. So one value can be the base of many caches.
 * Every setting is checked when it is made: a value out of its range throws {@link
 * IllegalArgumentException}. Settings that contradict each other are refused when the cache is
 * made.
 *
 * <pre>{@code
 * CacheOptions<Long, String> patient =
 *     CacheOptions.of(Long.class, Codec.utf8())
 *         .ttl(Duration.ofMinutes(10))
 *         .staleOnError(Duration.ofHours(1));
 * GuardedCache<Long, String> names = GuardedCache.create(sluice, "names", patient, database::find);
 * }</pre>
 *
 * <p>All processes that share a cache should use the same options.
 *
 * @param <K> keys
 * @param <V> values
 * @since 0.1
 */
public final class CacheOptions<K, V> {
  private static final Duration MAX_ABSENT_TTL = Duration.ofMinutes(5);

  private final CacheOptionValues<K, V> values;

  private CacheOptions(CacheOptionValues<K, V> values) {
    this.values = values;
  }

  /**
   * Options of a cache whose keys are strings, whole numbers, UUIDs or constants of an enum.
   *
   * @param keys the type of keys: String, Long, Integer, UUID or an enum
   * @param codec how values become bytes
   * @param <K> keys
   * @param <V> values
   * @return the options, each at its default
   * @throws IllegalArgumentException for another type of keys
   */
  public static <K, V> CacheOptions<K, V> of(Class<K> keys, Codec<V> codec) {
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
    return of(text, codec);
  }

  /**
   * Options of a cache with keys of any type.
   *
   * @param keyText the text of a key at the store, 1 to 512 bytes of UTF-8, different for different
   *     keys
   * @param codec how values become bytes
   * @param <K> keys
   * @param <V> values
   * @return the options, each at its default
   */
  public static <K, V> CacheOptions<K, V> of(Function<? super K, String> keyText, Codec<V> codec) {
    return new CacheOptions<>(
        new CacheOptionValues<>(
            requireNonNull(keyText, "keyText must not be null"),
            requireNonNull(codec, "codec must not be null")));
  }

  private CacheOptions<K, V> with(Consumer<CacheOptionValues<K, V>> change) {
    CacheOptionValues<K, V> copy = new CacheOptionValues<>(values);
    change.accept(copy);
    return new CacheOptions<>(copy);
  }

  /**
   * Sets the time for which a value is fresh.
   *
   * @param ttl 1 ms to 30 days (default: 10 minutes)
   * @return changed options
   */
  public CacheOptions<K, V> ttl(Duration ttl) {
    return with(to -> to.ttl = CacheSettings.checkTtl("ttl", ttl, CacheSettings.MAX_TTL));
  }

  /**
   * Sets the time for which each value is fresh.
   *
   * @param ttlOf gives 1 ms to 30 days for a key and its value
   * @return changed options
   */
  public CacheOptions<K, V> ttl(BiFunction<? super K, ? super V, Duration> ttlOf) {
    return with(to -> to.ttlOf = requireNonNull(ttlOf, "ttlOf must not be null"));
  }

  /**
   * Sets the jitter of lives, so that values stored together do not expire together: each life is
   * shortened by a random share up to this one.
   *
   * @param share 0 to 0.9 (default: 0.1)
   * @return changed options
   */
  public CacheOptions<K, V> jitter(double share) {
    if (!(share >= 0 && share <= 0.9)) {
      throw new IllegalArgumentException("jitter must be 0 to 0.9: " + share);
    }
    return with(to -> to.jitter = share);
  }

  /**
   * Sets the time for which "absent" is cached.
   *
   * @param ttl 1 ms to 5 minutes, or zero for not at all (default: 60 s)
   * @return changed options
   */
  public CacheOptions<K, V> absentTtl(Duration ttl) {
    requireNonNull(ttl, "absentTtl must not be null");
    return with(
        to ->
            to.absentTtl =
                ttl.isZero() ? ttl : CacheSettings.checkTtl("absentTtl", ttl, MAX_ABSENT_TTL));
  }

  /**
   * Keeps copies in this process. They may be older than what the store has by {@link
   * #nearStaleness} at most.
   *
   * @param entries most copies, 1 to 10^9
   * @return changed options
   */
  public CacheOptions<K, V> near(long entries) {
    if (entries < 1 || entries > 1_000_000_000) {
      throw new IllegalArgumentException("near must be 1 to 10^9 entries: " + entries);
    }
    return with(to -> to.nearSize = entries);
  }

  /**
   * Sets the life of a near copy, which ends with its value at the latest.
   *
   * @param ttl 1 ms to 30 days (default: 1 minute)
   * @return changed options
   */
  public CacheOptions<K, V> nearTtl(Duration ttl) {
    return with(to -> to.nearTtl = CacheSettings.checkTtl("nearTtl", ttl, CacheSettings.MAX_TTL));
  }

  /**
   * Sets the time for which a near copy may be served after another process invalidated its value,
   * even if the network fails meanwhile.
   *
   * @param bound 100 ms to 1 minute (default: 1 s)
   * @return changed options
   */
  public CacheOptions<K, V> nearStaleness(Duration bound) {
    return with(
        to ->
            to.nearStaleness =
                CacheSettings.check(
                    "nearStaleness", bound, Duration.ofMillis(100), Duration.ofMinutes(1)));
  }

  /**
   * Answers "absent" without a load for keys that a Bloom filter does not have. {@link
   * GuardedCache#update} adds its key to the filter before it writes. If it can't, it throws and
   * writes nothing: {@link dev.sluice.MissingDataException} if the filter was lost, {@link
   * dev.sluice.BackendException} if the store does not answer.
   *
   * @param existing every key that exists in the database
   * @return changed options
   */
  public CacheOptions<K, V> existsIn(BloomFilter<? super K> existing) {
    return with(to -> to.existing = requireNonNull(existing, "existing must not be null"));
  }

  /**
   * Keeps expired values, and serves them when a load fails, takes longer than the soft timeout, or
   * the store is unreachable. Invalidated values are not served.
   *
   * @param stale how long, zero to 30 days (default: zero)
   * @return changed options
   */
  public CacheOptions<K, V> staleOnError(Duration stale) {
    return with(
        to ->
            to.stale =
                CacheSettings.check("staleOnError", stale, Duration.ZERO, CacheSettings.MAX_TTL));
  }

  /**
   * Reloads a value before it expires, once across all processes, if it is read in the last part of
   * its life.
   *
   * @param part of the time to live, 0 to 0.9 (default: 0, never)
   * @return changed options
   */
  public CacheOptions<K, V> earlyRefresh(double part) {
    if (!(part >= 0 && part <= 0.9)) {
      throw new IllegalArgumentException("earlyRefresh must be 0 to 0.9: " + part);
    }
    return with(to -> to.earlyRefresh = part);
  }

  /**
   * Sets the time after which a reader gets the stale value, if there is one, while the load
   * continues. Loads then run on the client's executor.
   *
   * @param timeout 1 ms to 1 hour (default: none)
   * @return changed options
   */
  public CacheOptions<K, V> softTimeout(Duration timeout) {
    return with(to -> to.softTimeout = checkTimeout("softTimeout", timeout));
  }

  /**
   * Sets the time after which a reader gives up, while the load continues. Loads then run on the
   * client's executor.
   *
   * @param timeout 1 ms to 1 hour (default: none)
   * @return changed options
   */
  public CacheOptions<K, V> hardTimeout(Duration timeout) {
    return with(to -> to.hardTimeout = checkTimeout("hardTimeout", timeout));
  }

  /**
   * Sets the values that a read may return after a write.
   *
   * @param consistency what readers may see (default: {@link Consistency#EVENTUAL})
   * @return changed options
   */
  public CacheOptions<K, V> consistency(Consistency consistency) {
    return with(to -> to.consistency = requireNonNull(consistency, "consistency must not be null"));
  }

  /**
   * Serializes loads and writes of one key through a lock. A load that hangs has the lock for the
   * hard timeout (without one, a minute) and the {@linkplain #fillLease fill lease}. If the store
   * does not answer, {@link GuardedCache#update} waits for the lock for up to a minute and two fill
   * leases. Then it throws {@link dev.sluice.BackendException}, and writes nothing.
   *
   * @return changed options
   */
  public CacheOptions<K, V> serial() {
    return with(to -> to.serial = true);
  }

  /**
   * Sets the tags of entries, by which they can be invalidated together. A hit on a tagged entry
   * costs one more round trip.
   *
   * @param tags gives the tags of a key and its value, each 1 to 512 bytes of UTF-8, at most 16
   * @return changed options
   */
  public CacheOptions<K, V> tags(
      BiFunction<? super K, ? super V, ? extends Collection<String>> tags) {
    return with(to -> to.tags = requireNonNull(tags, "tags must not be null"));
  }

  /**
   * Sets the timeout of a call to the store, after which the cache continues without it.
   *
   * @param deadline 1 ms to 1 minute (default: 100 ms)
   * @return changed options
   */
  public CacheOptions<K, V> deadline(Duration deadline) {
    return with(
        to ->
            to.deadline =
                CacheSettings.check(
                    "deadline", deadline, Duration.ofMillis(1), Duration.ofMinutes(1)));
  }

  /**
   * Sets the time that readers wait for a process that died during a load. A live one lengthens its
   * lease.
   *
   * @param lease 10 ms to 1 minute (default: 3 s)
   * @return changed options
   */
  public CacheOptions<K, V> fillLease(Duration lease) {
    return with(
        to ->
            to.fillLease =
                CacheSettings.check(
                    "fillLease", lease, Duration.ofMillis(10), Duration.ofMinutes(1)));
  }

  /**
   * Sets the time for which a key is not cached after a process died during a write. A live one
   * lengthens its announcement.
   *
   * @param intent 10 ms to 10 minutes, longer than a commit takes (default: 10 s)
   * @return changed options
   */
  public CacheOptions<K, V> intent(Duration intent) {
    return with(
        to ->
            to.intent =
                CacheSettings.check(
                    "intent", intent, Duration.ofMillis(10), Duration.ofMinutes(10)));
  }

  /**
   * Sets the limit of this process's loads from the database while the store is unreachable.
   *
   * @param limit counted in this process (default: 100 a second in a token bucket)
   * @return changed options
   */
  public CacheOptions<K, V> fallback(Limit limit) {
    requireNonNull(limit, "limit must not be null");
    if (limit.algorithm() == Limit.Algorithm.LEAKY_QUEUE) {
      throw new IllegalArgumentException("fallback must not be a queue: " + limit);
    }
    return with(to -> to.fallback = limit);
  }

  /**
   * Loads many keys with one call, for {@link GuardedCache#getAll}.
   *
   * @param loader gives the values of those keys that exist
   * @return changed options
   */
  public CacheOptions<K, V> bulkLoader(Function<? super Set<K>, ? extends Map<K, V>> loader) {
    return with(to -> to.bulkLoader = requireNonNull(loader, "loader must not be null"));
  }

  /** {@return the time for which a value is fresh} */
  public Duration ttl() {
    return values.ttl;
  }

  /** {@return the jitter of lives, 0 to 0.9} */
  public double jitter() {
    return values.jitter;
  }

  /** {@return the time for which an absent value is cached; zero for not at all} */
  public Duration absentTtl() {
    return values.absentTtl;
  }

  /** {@return the most copies in this process; 0 for none} */
  public long near() {
    return values.nearSize;
  }

  /** {@return the life of a near copy} */
  public Duration nearTtl() {
    return values.nearTtl;
  }

  /**
   * {@return the time for which a near copy may be served after another process invalidated its
   * value}
   */
  public Duration nearStaleness() {
    return values.nearStaleness;
  }

  /** {@return the time for which expired values are kept; zero for not at all} */
  public Duration staleOnError() {
    return values.stale;
  }

  /**
   * {@return the last part of a life in which a value is refreshed early, 0 to 0.9; 0 for never}
   */
  public double earlyRefresh() {
    return values.earlyRefresh;
  }

  /** {@return the time after which a reader gets the stale value; empty for never} */
  public Optional<Duration> softTimeout() {
    return Optional.ofNullable(values.softTimeout);
  }

  /** {@return the time after which a reader gives up; empty for never} */
  public Optional<Duration> hardTimeout() {
    return Optional.ofNullable(values.hardTimeout);
  }

  /** {@return the values that a read may return after a write} */
  public Consistency consistency() {
    return values.consistency;
  }

  /** {@return whether loads and writes of one key are serialized} */
  public boolean isSerial() {
    return values.serial;
  }

  /** {@return the timeout of a call to the store} */
  public Duration deadline() {
    return values.deadline;
  }

  /** {@return the time that readers wait for a process that died during a load} */
  public Duration fillLease() {
    return values.fillLease;
  }

  /** {@return the time for which a key is not cached after a process died during a write} */
  public Duration intent() {
    return values.intent;
  }

  /**
   * {@return the limit of this process's loads from the database while the store is unreachable}
   */
  public Limit fallback() {
    return values.fallback;
  }

  /** {@return the options, checked against each other} */
  CacheOptionValues<K, V> checked() {
    if (values.consistency == Consistency.STRONG) {
      refuse(
          values.nearSize > 0,
          "near: copies in other processes would be older than what was written");
      refuse(!values.stale.isZero(), "staleOnError");
    }
    if (values.softTimeout != null && values.stale.isZero()) {
      throw new IllegalArgumentException("softTimeout needs staleOnError: nothing could be served");
    }
    return values;
  }

  private static void refuse(boolean wrong, String what) {
    if (wrong) {
      throw new IllegalArgumentException("STRONG cannot be combined with " + what);
    }
  }

  private static Duration checkTimeout(String what, Duration timeout) {
    return CacheSettings.check(what, timeout, Duration.ofMillis(1), Duration.ofHours(1));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CacheOptions<?, ?> that && values.all().equals(that.values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  @Override
  public String toString() {
    return "CacheOptions" + values.all();
  }
}
