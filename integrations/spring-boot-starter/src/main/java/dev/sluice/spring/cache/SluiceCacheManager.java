package dev.sluice.spring.cache;

import dev.sluice.cache.GuardedCache;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/**
 * Guarded caches for {@code @Cacheable} and related annotations: those under {@code
 * sluice.cache.caches} or of {@link GuardedCacheable} methods, and any other name with the
 * defaults, unless {@code sluice.cache.dynamic} is off. The guarded cache itself is what {@link
 * Cache#getNativeCache()} returns. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class SluiceCacheManager implements CacheManager {
  private final Function<String, GuardedCache<Object, Object>> builds;
  private final Supplier<Set<String>> names;
  private final boolean dynamic;
  private final @Nullable TransactionalWrites transactions;
  private final Map<String, SluiceCache> caches = new ConcurrentHashMap<>();
  // guarded by this
  private final List<Consumer<GuardedCache<?, ?>>> listeners = new ArrayList<>();

  /**
   * @param names caches that exist, whether they were asked for or not
   * @param dynamic whether others do, once they are asked for
   * @param transactions null: evictions do not wait for the end of a transaction
   */
  SluiceCacheManager(
      Function<String, GuardedCache<Object, Object>> builds,
      Supplier<Set<String>> names,
      boolean dynamic,
      @Nullable TransactionalWrites transactions) {
    this.builds = builds;
    this.names = names;
    this.dynamic = dynamic;
    this.transactions = transactions;
  }

  /** Creates the declared caches, so that a wrong setting fails the start. */
  void start() {
    names.get().forEach(this::getCache);
  }

  @Override
  public @Nullable Cache getCache(String name) {
    SluiceCache cache = caches.get(name);
    return cache == null && (dynamic || names.get().contains(name)) ? add(name) : cache;
  }

  @Override
  public Collection<String> getCacheNames() {
    Set<String> all = new TreeSet<>(caches.keySet());
    all.addAll(names.get());
    return all;
  }

  private synchronized SluiceCache add(String name) {
    SluiceCache known = caches.get(name);
    if (known != null) {
      return known;
    }
    GuardedCache<Object, Object> store = builds.apply(name);
    SluiceCache cache = new SluiceCache(store, transactions);
    caches.put(name, cache);
    listeners.forEach(listener -> listener.accept(store));
    return cache;
  }

  /** Calls back for each present and future cache. */
  synchronized void onCache(Consumer<GuardedCache<?, ?>> listener) {
    caches.values().forEach(cache -> listener.accept(cache.getNativeCache()));
    listeners.add(listener);
  }
}
