package dev.sluice.cache;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.cache.CacheMeterBinder;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of a cache for the application's Micrometer: the usual meters of caches ({@code
 * cache.gets}, {@code cache.puts}, {@code cache.load}, {@code cache.load.duration}), and {@code
 * sluice.cache.*} for features of a guarded cache. All carry the tag {@code cache}, its name; none
 * carries a key. Safe for use by many threads.
 *
 * <pre>{@code
 * CacheMetrics.of(products).bindTo(registry);
 * }</pre>
 *
 * @since 0.1
 */
public final class CacheMetrics extends CacheMeterBinder<GuardedCache<?, ?>> {
  private final Iterable<Tag> tags;

  private CacheMetrics(GuardedCache<?, ?> cache, Iterable<Tag> tags) {
    super(cache, cache.name(), tags);
    this.tags = Tags.concat(tags, "cache", cache.name());
  }

  /**
   * Meters of a cache, which do not keep it alive.
   *
   * @param cache the cache
   * @param tags more tags, as names and values in turn
   * @return what binds them
   */
  public static CacheMetrics of(GuardedCache<?, ?> cache, String... tags) {
    requireNonNull(cache, "cache must not be null");
    return new CacheMetrics(cache, Tags.of(tags));
  }

  @Override
  protected @Nullable Long size() {
    return null; // the keys of a store are not counted
  }

  @Override
  protected long hitCount() {
    return read(stats -> stats.nearHits() + stats.hits());
  }

  @Override
  protected Long missCount() {
    return read(CacheStats::misses);
  }

  @Override
  protected @Nullable Long evictionCount() {
    return null;
  }

  /** Values that loads stored; {@code put} is not counted. */
  @Override
  protected long putCount() {
    return read(stats -> Math.max(0, stats.loads() - stats.fillsRefused() - stats.fallbackLoads()));
  }

  private long read(ToLongFunction<CacheStats> number) {
    GuardedCache<?, ?> cache = getCache();
    return cache == null ? 0 : number.applyAsLong(cache.stats());
  }

  @Override
  protected void bindImplementationSpecificMetrics(MeterRegistry registry) {
    GuardedCache<?, ?> cache = getCache();
    if (cache == null) {
      return;
    }
    TimeGauge.builder(
            "cache.load.duration", cache, TimeUnit.NANOSECONDS, c -> c.stats().loadNanos())
        .tags(tags)
        .description("Time spent in loads")
        .register(registry);
    count(registry, "cache.load", "Loads", CacheStats::loads, "result", "success");
    count(registry, "cache.load", "Loads", CacheStats::loadFailures, "result", "failure");
    count(
        registry,
        "sluice.cache.near.hits",
        "Reads answered by a copy in this process; cache.gets has them too",
        CacheStats::nearHits);
    count(
        registry,
        "sluice.cache.guarded",
        "Misses that the Bloom filter answered",
        CacheStats::guarded);
    count(
        registry,
        "sluice.cache.fills.refused",
        "Loads whose value was not stored, since it may have been old",
        CacheStats::fillsRefused);
    count(registry, "sluice.cache.stale", "Reads answered by an expired value", CacheStats::stale);
    count(
        registry,
        "sluice.cache.fallback",
        "Loads while the store was away",
        CacheStats::fallbackLoads,
        "result",
        "loaded");
    count(
        registry,
        "sluice.cache.fallback",
        "Loads while the store was away",
        CacheStats::fallbackRejections,
        "result",
        "rejected");
    count(
        registry,
        "sluice.cache.codec.failures",
        "Stored values that could not be read",
        CacheStats::codecFailures);
    Gauge.builder(
            "sluice.cache.invalidations.pending",
            cache,
            c -> (double) c.stats().pendingInvalidations())
        .tags(tags)
        .description("Invalidations that the store has not confirmed yet")
        .register(registry);
  }

  private void count(
      MeterRegistry registry,
      String name,
      String description,
      ToLongFunction<CacheStats> number,
      String... more) {
    GuardedCache<?, ?> cache = requireNonNull(getCache());
    FunctionCounter.builder(name, cache, c -> (double) number.applyAsLong(c.stats()))
        .tags(tags)
        .tags(more)
        .description(description)
        .register(registry);
  }
}
