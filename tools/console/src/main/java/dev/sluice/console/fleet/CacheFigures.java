package dev.sluice.console.fleet;

import dev.sluice.Sluice;
import dev.sluice.cache.CacheStats;
import dev.sluice.cache.GuardedCache;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts of guarded caches, if their module is on the class path. */
public final class CacheFigures {
  private static final boolean PRESENT = isPresent();

  private CacheFigures() {}

  private static boolean isPresent() {
    try {
      Class.forName("dev.sluice.cache.GuardedCache", false, CacheFigures.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  public static List<Map<String, Object>> of(Sluice sluice) {
    try {
      return PRESENT ? Reader.read(sluice) : List.of();
    } catch (UnsupportedOperationException e) {
      return List.of(); // a store without caches
    }
  }

  /** A separate class, so that the module's classes are not loaded where it is missing. */
  private static final class Reader {
    static List<Map<String, Object>> read(Sluice sluice) {
      List<Map<String, Object>> caches = new ArrayList<>();
      for (GuardedCache<?, ?> cache : GuardedCache.all(sluice)) {
        CacheStats stats = cache.stats();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("n", cache.name());
        json.put("near", stats.nearHits());
        json.put("hits", stats.hits());
        json.put("misses", stats.misses());
        json.put("guarded", stats.guarded());
        json.put("loads", stats.loads());
        json.put("failed", stats.loadFailures());
        json.put("micros", stats.loadNanos() / 1000);
        json.put("refused", stats.fillsRefused());
        json.put("stale", stats.stale());
        json.put("fallback", stats.fallbackLoads());
        json.put("rejected", stats.fallbackRejections());
        json.put("pending", stats.pendingInvalidations());
        caches.add(json);
      }
      return caches;
    }
  }
}
