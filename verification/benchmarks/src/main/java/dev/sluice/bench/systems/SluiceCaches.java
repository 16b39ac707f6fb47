package dev.sluice.bench.systems;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.cache.GuardedCacheBuilder;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sluice over {@code redis://}, with its default deadline of 100 ms unless told otherwise. */
final class SluiceCaches implements CacheSystem {
  private final Sluice sluice;

  SluiceCaches(String uri) {
    this.sluice = Sluice.connect(uri);
  }

  @Override
  public Shelf shelf(
      String name, Tier tier, Habit habit, Function<String, byte @Nullable []> loader) {
    GuardedCacheBuilder<String, byte[]> settings =
        GuardedCache.builder(sluice, name, String.class, Codec.bytes()).ttl(TTL);
    CacheSystem.require(habit == Habit.PLAIN || habit == Habit.IMPATIENT, tier, habit);
    Deadline.chosen().ifPresent(settings::deadline);
    if (habit == Habit.IMPATIENT) {
      settings.deadline(Duration.ofSeconds(1));
    }
    return switch (tier) {
      case NEAR -> new Plain(settings.near(NEAR_SIZE).nearTtl(NEAR_TTL).build(loader));
      case STORE -> new Plain(settings.build(loader));
      case GUARDED -> guarded(name, settings, loader);
    };
  }

  private Shelf guarded(
      String name,
      GuardedCacheBuilder<String, byte[]> settings,
      Function<String, byte @Nullable []> loader) {
    BloomFilter<String> existing =
        sluice.bloomFilter(name, Funnel.utf8(), BloomSpec.of(GUARDED_KEYS, GUARDED_RATE));
    existing.create();
    GuardedCache<String, byte[]> cache = settings.existsIn(existing).build(loader);
    return new Plain(cache) {
      /** That keys exist is all that is needed here. */
      @Override
      public void stock(Collection<String> keys, byte[] value) {
        existing.addAll(keys);
      }
    };
  }

  @Override
  public void close() {
    sluice.close();
  }

  private static class Plain implements Shelf {
    private final GuardedCache<String, byte[]> cache;

    Plain(GuardedCache<String, byte[]> cache) {
      this.cache = cache;
    }

    @Override
    public byte @Nullable [] get(String key) {
      return cache.get(key).orElse(null);
    }

    @Override
    public void stock(Collection<String> keys, byte[] value) {
      keys.forEach(key -> cache.put(key, value));
    }

    @Override
    public void drop(String key) {
      cache.invalidate(key);
    }
  }
}
