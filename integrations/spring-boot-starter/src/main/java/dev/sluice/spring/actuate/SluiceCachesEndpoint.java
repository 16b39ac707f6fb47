package dev.sluice.spring.actuate;

import dev.sluice.cache.CacheStats;
import dev.sluice.cache.GuardedCache;
import dev.sluice.spring.cache.SluiceCacheManager;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.cache.Cache;

/**
 * Statistics of the guarded caches of this process. Spring Boot's endpoint {@code caches} empties
 * them.
 */
@Endpoint(id = "sluicecaches")
final class SluiceCachesEndpoint {
  private final SluiceCacheManager manager;

  SluiceCachesEndpoint(SluiceCacheManager manager) {
    this.manager = manager;
  }

  /** {@return counts by cache name} */
  @ReadOperation
  public Map<String, CacheStats> caches() {
    Map<String, CacheStats> all = new TreeMap<>();
    for (String name : manager.getCacheNames()) {
      CacheStats stats = cache(name);
      if (stats != null) {
        all.put(name, stats);
      }
    }
    return all;
  }

  /**
   * Shows a cache.
   *
   * @param name its name
   * @return its counts; null if there is none of that name
   */
  @ReadOperation
  public @Nullable CacheStats cache(@Selector String name) {
    // asking the manager for a name that it does not know might make a cache
    Cache cache = manager.getCacheNames().contains(name) ? manager.getCache(name) : null;
    return cache != null && cache.getNativeCache() instanceof GuardedCache<?, ?> guarded
        ? guarded.stats()
        : null;
  }
}
