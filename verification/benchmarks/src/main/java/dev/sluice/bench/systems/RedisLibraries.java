package dev.sluice.bench.systems;

import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Peers of which one primitive on Redis is measured, and the floors of a quorum and of a cache. */
final class RedisLibraries {
  private static final long TTL_MILLIS = 30_000;

  private RedisLibraries() {}

  /** Each server of {@code redis://host:port} or {@code redis-quorum://host:port,...?options}. */
  static List<String> servers(String uri) {
    return Stream.of(uri.replaceFirst("\\?.*", "").replaceFirst(".*://", "").split(","))
        .map(host -> "redis://" + host)
        .toList();
  }

  /** A peer's lock that is a {@link Lock}. */
  static Mutex mutex(Lock lock) {
    return Mutex.of(lock::lock, lock::unlock);
  }

  /** Spring Integration in pub-sub mode: the default polls every 100 ms. */
  static Library spring(String uri) {
    URI server = URI.create(uri);
    LettuceConnectionFactory connections =
        new LettuceConnectionFactory(server.getHost(), server.getPort());
    connections.afterPropertiesSet();
    connections.start();
    RedisLockRegistry registry = new RedisLockRegistry(connections, "spring");
    registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
    return Library.ofLocks(name -> mutex(registry.obtain(name)));
  }

  /**
   * The least that a lock on a majority over Lettuce can cost: one command to each server, all at
   * the same time, and no waiting for more than a majority. The lock must be uncontended.
   */
  static Library quorumFloor(String uri) {
    RedisClient client = RedisClient.create();
    List<RedisAsyncCommands<String, String>> servers =
        servers(uri).stream().map(each -> client.connect(RedisURI.create(each)).async()).toList();
    String sha =
        servers.stream()
            .map(each -> each.scriptLoad(LettuceFloor.DELETE_IF_OWNER).toCompletableFuture().join())
            .toList()
            .get(0);
    return Library.ofLocks(
        name -> {
          String owner = UUID.randomUUID().toString();
          String[] keys = {name};
          SetArgs ifAbsent = SetArgs.Builder.nx().px(TTL_MILLIS);
          return Mutex.of(
              () -> majority(servers, server -> server.set(name, owner, ifAbsent)),
              () ->
                  majority(
                      servers,
                      server -> server.evalsha(sha, ScriptOutputType.INTEGER, keys, owner)));
        });
  }

  private static void majority(
      List<RedisAsyncCommands<String, String>> servers,
      Function<RedisAsyncCommands<String, String>, CompletionStage<?>> command)
      throws Exception {
    AtomicInteger missing = new AtomicInteger(servers.size() / 2 + 1);
    CompletableFuture<Void> done = new CompletableFuture<>();
    for (RedisAsyncCommands<String, String> server : servers) {
      command
          .apply(server)
          .thenAccept(
              reply -> {
                if (reply != null && missing.decrementAndGet() == 0) {
                  done.complete(null);
                }
              });
    }
    done.get(10, TimeUnit.SECONDS);
  }

  /** Bucket4j over Lettuce with default settings, but keys that expire. */
  static Library bucket4j(String uri) {
    StatefulRedisConnection<String, byte[]> connection =
        RedisClient.create(uri).connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
    return new Library() {
      @Override
      public KeyedCall limit(String name, List<String> keys, Allowance allowance) throws Exception {
        if (allowance.shape() != Allowance.Shape.BUCKET
            || allowance.extra() == Allowance.Extra.LEASING) {
          return Library.super.limit(name, keys, allowance);
        }
        var builder =
            Bucket4jLettuce.casBasedBuilder(connection)
                .expirationAfterWrite(
                    ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(
                        Duration.ofSeconds(1)));
        if (allowance.extra() == Allowance.Extra.IMPATIENT) {
          builder = builder.requestTimeout(Duration.ofSeconds(1));
        }
        return buckets(builder.build(), name, keys, allowance);
      }
    };
  }

  private static KeyedCall buckets(
      ProxyManager<String> manager, String name, List<String> keys, Allowance allowance) {
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
      String id = name + "/" + key;
      buckets.put(key, manager.builder().build(id, () -> rule));
      asyncBuckets.put(
          key,
          manager.asAsync().builder().build(id, () -> CompletableFuture.completedFuture(rule)));
    }
    return KeyedCall.of(
        key -> requireNonNull(buckets.get(key)).tryConsume(1),
        key -> requireNonNull(asyncBuckets.get(key)).tryConsume(1));
  }

  /** The least that a hit in the process can cost: no store, no invalidation by others. */
  static Library caffeine() {
    return new Library() {
      @Override
      public Shelf cache(
          String name, Tier tier, boolean patient, Function<String, byte @Nullable []> loader) {
        if (tier != Tier.NEAR || patient) {
          return Library.super.cache(name, tier, patient, loader);
        }
        Cache<String, byte[]> cache =
            Caffeine.newBuilder()
                .maximumSize(Shelf.NEAR_SIZE)
                .expireAfterWrite(Shelf.NEAR_TTL)
                .build();
        return new Shelf(
            cache::getIfPresent,
            (keys, value) -> keys.forEach(key -> cache.put(key, value)),
            cache::invalidate);
      }
    };
  }
}
