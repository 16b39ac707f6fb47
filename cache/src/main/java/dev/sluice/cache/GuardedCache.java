package dev.sluice.cache;

import static java.util.Objects.requireNonNull;

import dev.sluice.Sluice;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache in front of a database, shared by many processes. When a value expires, one caller in the
 * fleet loads it. A value that was read from the database before an invalidation is never stored
 * after it.
 *
 * <pre>{@code
 * GuardedCache<Long, String> names =
 *     GuardedCache.create(
 *         sluice,
 *         "names",
 *         CacheOptions.of(Long.class, Codec.utf8()).ttl(Duration.ofMinutes(10)),
 *         id -> database.find(id));
 *
 * Optional<String> name = names.get(42L);
 * names.update(42L, () -> database.save(42L, "new name"));
 * }</pre>
 *
 * <p>Safe for use by many threads. A read blocks at most for the deadline of the store and for the
 * load of its value. If its thread is interrupted meanwhile, it throws {@link
 * dev.sluice.SluiceException} and the thread stays interrupted. A write blocks at most for the
 * deadline; an interruption does not end it.
 *
 * @param <K> keys
 * @param <V> values; never null
 * @since 0.1
 */
public interface GuardedCache<K, V> {

  /**
   * Creates a cache with a loader.
   *
   * @param sluice the client; closing it ends the cache
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param options how it keeps values
   * @param loader reads the database; null means absent. Runs on the thread that reads if no load
   *     timeout is set, else on the client's executor
   * @param <K> keys
   * @param <V> values
   * @return the cache
   * @throws IllegalArgumentException if the name breaks its rule, or options contradict each other
   * @throws UnsupportedOperationException if the store has no caches, or cannot give what {@link
   *     Consistency#STRONG} promises
   */
  static <K, V> GuardedCache<K, V> create(
      Sluice sluice,
      String name,
      CacheOptions<K, V> options,
      Function<? super K, ? extends @Nullable V> loader) {
    requireNonNull(loader, "loader must not be null");
    return CacheEngine.of(sluice)
        .cache(new CacheSettings<>(sluice, name, options.checked(), loader));
  }

  /**
   * Creates a cache whose reads bring their own loaders.
   *
   * @param sluice the client; closing it ends the cache
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param options how it keeps values
   * @param <K> keys
   * @param <V> values
   * @return the cache
   * @throws IllegalArgumentException if the name breaks its rule, or options contradict each other
   * @throws UnsupportedOperationException if the store has no caches, or cannot give what {@link
   *     Consistency#STRONG} promises
   */
  static <K, V> GuardedCache<K, V> create(Sluice sluice, String name, CacheOptions<K, V> options) {
    return CacheEngine.of(sluice).cache(new CacheSettings<>(sluice, name, options.checked(), null));
  }

  /**
   * Returns the caches of a client, for tools that show their counts.
   *
   * @param sluice the client
   * @return those that were built on it, in no order
   * @throws UnsupportedOperationException if the store has no caches
   */
  static List<GuardedCache<?, ?>> all(Sluice sluice) {
    return CacheEngine.of(sluice).caches();
  }

  /** {@return the name that processes share} */
  String name();

  /**
   * Returns the value of a key, loaded if necessary, with the loader given at creation. The loader
   * runs on this thread if no load timeout is set and no other caller is loading the key.
   *
   * @param key the key
   * @return the value, or empty if it is absent from the database too
   * @throws CacheLoadException if the load took longer than the hard timeout, or if the store is
   *     unreachable and the fallback limit is spent
   * @throws IllegalStateException if the loader asks for the same key again, or the cache has no
   *     loader
   */
  Optional<V> get(K key);

  /**
   * Reads as {@link #get(Object)}, with another loader.
   *
   * @param key the key
   * @param loader reads the database; null means absent
   * @return the value, or empty if it is absent
   */
  Optional<V> get(K key, Function<? super K, ? extends @Nullable V> loader);

  /**
   * Returns the values of keys; missing ones are loaded, in one call if the cache has a bulk
   * loader.
   *
   * @param keys the keys
   * @return those that are not absent, in the order of the keys
   */
  Map<K, V> getAll(Collection<? extends K> keys);

  /**
   * The value of a key if it is cached and fresh. Never loads.
   *
   * @param key the key
   * @return the value; empty if it is not cached, or known to be absent
   */
  Optional<V> getIfPresent(K key);

  /**
   * Stores a value that does not come from the loader, and invalidates loads under way. Two
   * concurrent writers may leave the older value; {@link #update} does not. Under {@link
   * Consistency#STRONG} nothing is stored: the old value is dropped and the next reader loads.
   *
   * @param key the key
   * @param value the value
   */
  void put(K key, V value);

  /**
   * Writes as {@link #put(Object, Object)}, with a separate time to live.
   *
   * @param key the key
   * @param value the value
   * @param ttl 1 ms to 30 days, and not more than the cache's if it has tags; no jitter is added
   */
  void put(K key, V value, Duration ttl);

  /**
   * Invalidates a key, and prevents loads under way from storing their values. Call it after the
   * database has committed; {@link #update} does.
   *
   * @param key the key
   */
  void invalidate(K key);

  /**
   * Invalidates keys.
   *
   * @param keys the keys
   */
  void invalidateAll(Collection<? extends K> keys);

  /**
   * Invalidates every entry that carries a tag.
   *
   * @param tag 1 to 512 bytes of UTF-8
   * @throws dev.sluice.BackendException if the store does not answer; it is not repeated
   */
  void invalidateTag(String tag);

  /**
   * Invalidates every value of the cache. Walks through the store in steps, without a deadline.
   *
   * @throws dev.sluice.BackendException if the store does not answer; it is not repeated
   */
  void clear();

  /**
   * Writes to the database and invalidates the cached value: announces the write, runs it,
   * invalidates. After it returns, no reader gets the old value. If this process dies in between,
   * the announcement ends by itself, and nothing is cached until then.
   *
   * @param key the key
   * @param write writes to the database, and commits
   * @param <T> what the write returns
   * @return what the write returned
   * @throws dev.sluice.BackendException under {@link Consistency#STRONG}, or with {@link
   *     CacheOptions#existsIn} or {@link CacheOptions#serial}, if the store does not answer and the
   *     write has not been run
   * @throws dev.sluice.MissingDataException if the filter of {@link CacheOptions#existsIn} was
   *     lost; the write has not been run
   * @throws dev.sluice.OutcomeUnknownException under {@link Consistency#STRONG}, if the write has
   *     been run, and the store did not confirm afterwards that no reader can get the old value
   */
  <T extends @Nullable Object> T update(K key, Supplier<T> write);

  /**
   * Updates as {@link #update(Object, Supplier)}, without a result.
   *
   * @param key the key
   * @param write writes to the database, and commits
   */
  default void update(K key, Runnable write) {
    this.<@Nullable Void>update(
        key,
        () -> {
          write.run();
          return null;
        });
  }

  /**
   * Loads a value although the cached one may be fresh, and replaces it. If another caller is
   * loading the key, this call returns the value of that load.
   *
   * @param key the key
   * @return the value, or empty if it is absent
   */
  Optional<V> refresh(K key);

  /** {@return an asynchronous view of this cache} */
  AsyncGuardedCache<K, V> async();

  /** {@return the counts of this cache in this process} */
  CacheStats stats();
}
