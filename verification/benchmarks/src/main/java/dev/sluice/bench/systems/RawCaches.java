package dev.sluice.bench.systems;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The least that a hit at the store can cost over Lettuce, and a cache that guards nothing. */
final class RawCaches implements CacheSystem {
  private final RedisClient client;
  private final StatefulRedisConnection<String, byte[]> connection;

  RawCaches(String uri) {
    this.client = RedisClient.create(uri);
    this.connection = client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
  }

  @Override
  public Shelf shelf(
      String name, Tier tier, Habit habit, Function<String, byte @Nullable []> loader) {
    CacheSystem.require(tier == Tier.STORE && habit == Habit.PLAIN, tier, habit);
    RedisCommands<String, byte[]> redis = connection.sync();
    String prefix = name + "/";
    return new Shelf() {
      @Override
      public byte @Nullable [] get(String key) {
        byte[] stored = redis.get(prefix + key);
        if (stored != null) {
          return stored;
        }
        byte[] loaded = loader.apply(key);
        if (loaded != null) {
          redis.psetex(prefix + key, TTL.toMillis(), loaded);
        }
        return loaded;
      }

      @Override
      public void stock(Collection<String> keys, byte[] value) {
        keys.forEach(key -> redis.psetex(prefix + key, TTL.toMillis(), value));
      }

      @Override
      public void drop(String key) {
        redis.del(prefix + key);
      }
    };
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(0, 1, TimeUnit.SECONDS);
  }
}
