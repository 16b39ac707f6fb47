package dev.sluice.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CacheMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void metersSayWhatTheCacheDid() {
    try (Sluice sluice = Sluice.connect("memory:")) {
      BloomFilter<String> ids =
          sluice.bloomFilter("ids", Funnel.utf8(), BloomSpec.of(1_000, 0.0001));
      ids.create();
      ids.add("a");
      ids.add("bad");
      GuardedCache<String, String> cache =
          GuardedCache.create(
              sluice,
              "words",
              CacheOptions.of(String.class, Codec.utf8()).near(10).existsIn(ids),
              key -> {
                if (key.equals("bad")) {
                  throw new IllegalStateException("no database");
                }
                return key + "!";
              });
      CacheMetrics.of(cache, "cache.manager", "cacheManager").bindTo(registry);

      cache.get("a"); // a miss and a load
      int hits = 0;
      do {
        cache.get("a"); // at the store, until values may be kept here
        hits++;
      } while (count("sluice.cache.near.hits") == 0 && hits < 1_000_000);
      cache.get("elsewhere"); // a miss that the filter answers
      assertThatThrownBy(() -> cache.get("bad")).hasMessage("no database");
      cache.get("a2", key -> "never asked"); // the filter again

      assertThat(count("cache.gets", "result", "hit")).isEqualTo(hits);
      assertThat(count("cache.gets", "result", "miss")).isEqualTo(4);
      assertThat(count("cache.puts")).isEqualTo(1);
      assertThat(count("cache.load", "result", "success")).isEqualTo(1);
      assertThat(count("cache.load", "result", "failure")).isEqualTo(1);
      assertThat(registry.get("cache.load.duration").timeGauge().value(TimeUnit.NANOSECONDS))
          .isPositive();
      assertThat(count("sluice.cache.near.hits")).isEqualTo(1);
      assertThat(count("sluice.cache.guarded")).isEqualTo(2);
      assertThat(count("sluice.cache.fills.refused")).isZero();
      assertThat(count("sluice.cache.stale")).isZero();
      assertThat(count("sluice.cache.fallback", "result", "loaded")).isZero();
      assertThat(count("sluice.cache.fallback", "result", "rejected")).isZero();
      assertThat(count("sluice.cache.codec.failures")).isZero();
      assertThat(registry.get("sluice.cache.invalidations.pending").gauge().value()).isZero();
      assertThat(registry.getMeters())
          .extracting(Meter::getId)
          .allSatisfy(
              id -> {
                assertThat(id.getTag("cache")).isEqualTo("words");
                assertThat(id.getTag("cache.manager")).isEqualTo("cacheManager");
                assertThat(id.getDescription()).isNotBlank();
              });

      cache.get("a", key -> "not asked");
      cache.invalidate("a");
      cache.get(
          "a",
          key -> {
            cache.invalidate(key); // while it is loaded
            return "old";
          });
      assertThat(count("sluice.cache.fills.refused")).isEqualTo(1);
    }
  }

  private double count(String name, String... tags) {
    return registry.get(name).tags(tags).functionCounter().count();
  }
}
