package dev.sluice.bench.systems;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RMap;
import org.redisson.api.RedissonClient;
import org.redisson.api.map.MapLoader;
import org.redisson.api.options.LocalCachedMapOptions;
import org.redisson.api.options.LocalCachedMapOptions.EvictionPolicy;
import org.redisson.api.options.MapCacheOptions;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.StringCodec;
import org.redisson.codec.CompositeCodec;
import org.redisson.config.Config;

/** Redisson's maps with default settings. */
final class RedissonCaches implements CacheSystem {
  private static final Codec CODEC =
      new CompositeCodec(StringCodec.INSTANCE, ByteArrayCodec.INSTANCE);

  private final RedissonClient redisson;

  RedissonCaches(String uri) {
    Config config = new Config();
    config.useSingleServer().setAddress(uri);
    this.redisson = Redisson.create(config);
  }

  @Override
  public Shelf shelf(
      String name, Tier tier, Habit habit, Function<String, byte @Nullable []> loader) {
    CacheSystem.require(tier != Tier.GUARDED && habit == Habit.PLAIN, tier, habit);
    RMap<String, byte[]> map =
        tier == Tier.NEAR
            ? redisson.getLocalCachedMap(
                LocalCachedMapOptions.<String, byte[]>name(name)
                    .codec(CODEC)
                    .cacheSize(NEAR_SIZE)
                    .evictionPolicy(EvictionPolicy.LFU)
                    .timeToLive(NEAR_TTL))
            : redisson.getMapCache(
                MapCacheOptions.<String, byte[]>name(name).codec(CODEC).loader(loading(loader)));
    return new Shelf() {
      @Override
      public byte @Nullable [] get(String key) {
        return map.get(key);
      }

      @Override
      public void stock(Collection<String> keys, byte[] value) {
        map.putAll(keys.stream().collect(Collectors.toMap(key -> key, key -> value)));
      }

      @Override
      public void drop(String key) {
        map.fastRemove(key);
      }
    };
  }

  private static MapLoader<String, byte[]> loading(Function<String, byte @Nullable []> loader) {
    return new MapLoader<>() {
      @Override
      @SuppressWarnings("NullAway") // null means absent, and the library does not say so
      public byte[] load(String key) {
        return loader.apply(key);
      }

      @Override
      public Iterable<String> loadAllKeys() {
        return List.of();
      }
    };
  }

  @Override
  public void close() {
    redisson.shutdown();
  }
}
