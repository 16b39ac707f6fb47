package dev.sluice.bench.systems;

import com.alicp.jetcache.AbstractCacheBuilder;
import com.alicp.jetcache.Cache;
import com.alicp.jetcache.CacheLoader;
import com.alicp.jetcache.MultiLevelCacheBuilder;
import com.alicp.jetcache.embedded.CaffeineCacheBuilder;
import com.alicp.jetcache.redis.lettuce.RedisLettuceCacheBuilder;
import com.alicp.jetcache.support.JavaValueDecoder;
import com.alicp.jetcache.support.JavaValueEncoder;
import io.lettuce.core.RedisClient;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** JetCache without Spring, with its default encoder. */
record JetCacheLibrary(RedisClient client) implements Library {
  @Override
  public Shelf cache(
      String name, Tier tier, boolean patient, Function<String, byte @Nullable []> loader) {
    if (tier == Tier.GUARDED || patient) {
      return Library.super.cache(name, tier, patient, loader);
    }
    Cache<String, byte[]> cache = tier == Tier.NEAR ? near(name) : loading(remote(name), loader);
    return new Shelf(
        cache::get,
        (keys, value) ->
            cache.putAll(keys.stream().collect(Collectors.toMap(key -> key, key -> value))),
        cache::remove);
  }

  private AbstractCacheBuilder<?> remote(String name) {
    return RedisLettuceCacheBuilder.createRedisLettuceCacheBuilder()
        .redisClient(client)
        .keyPrefix(name + "/")
        .keyConvertor(key -> key)
        .valueEncoder(JavaValueEncoder.INSTANCE)
        .valueDecoder(JavaValueDecoder.INSTANCE)
        .expireAfterWrite(Shelf.TTL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private Cache<String, byte[]> near(String name) {
    Cache<String, byte[]> local =
        CaffeineCacheBuilder.createCaffeineCacheBuilder()
            .limit(Shelf.NEAR_SIZE)
            .keyConvertor(null)
            .expireAfterWrite(Shelf.NEAR_TTL.toMillis(), TimeUnit.MILLISECONDS)
            .buildCache();
    Cache<String, byte[]> remote = remote(name).buildCache();
    return MultiLevelCacheBuilder.createMultiLevelCacheBuilder()
        .addCache(local, remote)
        .useExpireOfSubCache(true)
        .buildCache();
  }

  private static Cache<String, byte[]> loading(
      AbstractCacheBuilder<?> builder, Function<String, byte @Nullable []> loader) {
    @SuppressWarnings("NullAway") // null means absent, and the library does not say so
    CacheLoader<String, byte[]> loading = loader::apply;
    builder.loader(loading).cachePenetrateProtect(true);
    return builder.buildCache();
  }
}
