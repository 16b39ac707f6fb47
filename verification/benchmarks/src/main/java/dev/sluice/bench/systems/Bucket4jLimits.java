package dev.sluice.bench.systems;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Bucket4j over Lettuce with default settings, but keys that expire. */
final class Bucket4jLimits implements LimitSystem {
  private final RedisClient client;
  private final StatefulRedisConnection<String, byte[]> connection;

  Bucket4jLimits(String uri) {
    this.client = RedisClient.create(uri);
    this.connection = client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
  }

  @Override
  public Gate gate(String name, List<String> keys, Allowance allowance, Habit habit) {
    LimitSystem.require(
        allowance.shape() == Allowance.Shape.BUCKET
            && (habit == Habit.PLAIN || habit == Habit.IMPATIENT),
        allowance,
        habit);
    var builder =
        Bucket4jLettuce.casBasedBuilder(connection)
            .expirationAfterWrite(
                ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(
                    Duration.ofSeconds(1)));
    if (habit == Habit.IMPATIENT) {
      builder = builder.requestTimeout(Duration.ofSeconds(1));
    }
    ProxyManager<String> manager = builder.build();
    BucketConfiguration rule =
        BucketConfiguration.builder()
            .addLimit(
                limit ->
                    limit
                        .capacity(allowance.capacity())
                        .refillGreedy(allowance.count(), allowance.period()))
            .build();
    Map<String, BucketProxy> buckets = new HashMap<>();
    Map<String, AsyncBucketProxy> asyncBuckets = new HashMap<>();
    for (String key : keys) {
      buckets.put(key, manager.builder().build(name + "/" + key, () -> rule));
      asyncBuckets.put(
          key,
          manager
              .asAsync()
              .builder()
              .build(name + "/" + key, () -> CompletableFuture.completedFuture(rule)));
    }
    return new Gate() {
      @Override
      public boolean pass(String key) {
        return buckets.get(key).tryConsume(1);
      }

      @Override
      public CompletionStage<Boolean> passLater(String key) {
        return asyncBuckets.get(key).tryConsume(1);
      }
    };
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(0, 1, TimeUnit.SECONDS);
  }
}
