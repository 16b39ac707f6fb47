package dev.sluice.bench.systems;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RFuture;
import org.redisson.api.RLock;
import org.redisson.api.RMap;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
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

/**
 * Redisson with default settings; the period of the watchdog is its own default too, 30 s. On a
 * quorum a lock is a MultiLock over one on each server. Its expirable permits are not renewed.
 */
final class RedissonLibrary implements Library {
  private static final Codec CODEC =
      new CompositeCodec(StringCodec.INSTANCE, ByteArrayCodec.INSTANCE);

  private final List<RedissonClient> clients = new ArrayList<>();
  private final RedissonClient redisson;
  private final Duration ttl;

  RedissonLibrary(String uri, Duration ttl) {
    this.ttl = ttl;
    for (String server : RedisLibraries.servers(uri)) {
      Config config = new Config();
      config.setLockWatchdogTimeout(ttl.toMillis());
      config.useSingleServer().setAddress(server);
      clients.add(Redisson.create(config));
    }
    this.redisson = clients.get(0);
  }

  @Override
  public Mutex lock(String name, LockUse use) {
    return switch (use) {
      case PLAIN ->
          clients.size() == 1
              ? RedisLibraries.mutex(redisson.getLock(name))
              : multiLock(clients.stream().map(each -> each.getLock(name)));
      case SEMAPHORE -> {
        RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(name);
        semaphore.trySetPermits(LockUse.PERMITS);
        yield Mutex.ofLease(
            () -> {
              String permit = semaphore.acquire(ttl.toMillis(), TimeUnit.MILLISECONDS);
              return () -> {
                semaphore.release(permit);
                return true;
              };
            });
      }
      case READ -> RedisLibraries.mutex(redisson.getReadWriteLock(name).readLock());
      case WRITE -> RedisLibraries.mutex(redisson.getReadWriteLock(name).writeLock());
      case TOGETHER -> multiLock(LockUse.together(name).stream().map(redisson::getLock));
      case STICKY, ALTERNATING -> Library.super.lock(name, use);
    };
  }

  private Mutex multiLock(Stream<RLock> locks) {
    return RedisLibraries.mutex(redisson.getMultiLock(locks.toArray(RLock[]::new)));
  }

  /** A log of permits, without a separate burst. */
  @Override
  public KeyedCall limit(String name, List<String> keys, Allowance allowance) throws Exception {
    if (allowance.extra() != Allowance.Extra.NONE) {
      return Library.super.limit(name, keys, allowance);
    }
    Map<String, RRateLimiter> limiters = new HashMap<>();
    List<RFuture<Boolean>> made = new ArrayList<>();
    for (String key : keys) {
      RRateLimiter limiter = redisson.getRateLimiter(name + "/" + key);
      made.add(limiter.trySetRateAsync(RateType.OVERALL, allowance.count(), allowance.period()));
      limiters.put(key, limiter);
    }
    for (RFuture<Boolean> each : made) {
      each.toCompletableFuture().get(); // false where another process was first
    }
    return KeyedCall.of(
        key -> requireNonNull(limiters.get(key)).tryAcquire(),
        key -> requireNonNull(limiters.get(key)).tryAcquireAsync());
  }

  @Override
  public Elements filter(String name, int size, double rate) {
    RBloomFilter<String> filter = redisson.getBloomFilter(name);
    filter.tryInit(size, rate);
    return new Elements(
        KeyedCall.of(key -> filter.contains(key), key -> filter.containsAsync(key)),
        KeyedCall.of(key -> filter.add(key), key -> filter.addAsync(key)),
        elements -> filter.add(elements),
        elements -> filter.contains(elements));
  }

  @Override
  public Shelf cache(
      String name, Tier tier, boolean patient, Function<String, byte @Nullable []> loader) {
    if (tier == Tier.GUARDED || patient) {
      return Library.super.cache(name, tier, patient, loader);
    }
    RMap<String, byte[]> map =
        tier == Tier.NEAR
            ? redisson.getLocalCachedMap(
                LocalCachedMapOptions.<String, byte[]>name(name)
                    .codec(CODEC)
                    .cacheSize(Shelf.NEAR_SIZE)
                    .evictionPolicy(EvictionPolicy.LFU)
                    .timeToLive(Shelf.NEAR_TTL))
            : redisson.getMapCache(
                MapCacheOptions.<String, byte[]>name(name).codec(CODEC).loader(loading(loader)));
    return new Shelf(
        map::get,
        (keys, value) ->
            map.putAll(keys.stream().collect(Collectors.toMap(key -> key, key -> value))),
        map::fastRemove);
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
}
