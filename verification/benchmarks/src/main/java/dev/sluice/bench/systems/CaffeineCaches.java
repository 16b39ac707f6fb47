package dev.sluice.bench.systems;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The least that a hit in the process can cost: no store, nobody else to hear from. */
final class CaffeineCaches implements CacheSystem {
  @Override
  public Shelf shelf(
      String name, Tier tier, Habit habit, Function<String, byte @Nullable []> loader) {
    CacheSystem.require(tier == Tier.NEAR && habit == Habit.PLAIN, tier, habit);
    Cache<String, byte[]> cache =
        Caffeine.newBuilder().maximumSize(NEAR_SIZE).expireAfterWrite(NEAR_TTL).build();
    return new Shelf() {
      @Override
      public byte @Nullable [] get(String key) {
        return cache.getIfPresent(key);
      }

      @Override
      public void stock(Collection<String> keys, byte[] value) {
        keys.forEach(key -> cache.put(key, value));
      }

      @Override
      public void drop(String key) {
        cache.invalidate(key);
      }
    };
  }

  @Override
  public void close() {}
}
