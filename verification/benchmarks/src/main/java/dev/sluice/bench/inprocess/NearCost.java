package dev.sluice.bench.inprocess;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sluice.Sluice;
import dev.sluice.bench.systems.Shelf;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A value that has a copy in the process. */
@State(Scope.Benchmark)
public class NearCost {
  private static final byte[] VALUE = new byte[100];

  private final Keys keys = new Keys("product/");
  private final Sluice client = Sluice.connect("memory:");
  private final GuardedCache<String, byte[]> cache =
      GuardedCache.create(
          client,
          "bench",
          CacheOptions.of(String.class, Codec.bytes())
              .ttl(Shelf.TTL)
              .near(Shelf.NEAR_SIZE)
              .nearTtl(Shelf.NEAR_TTL),
          key -> VALUE);
  private final Cache<String, byte[]> caffeine =
      Caffeine.newBuilder().maximumSize(Shelf.NEAR_SIZE).expireAfterWrite(Shelf.NEAR_TTL).build();

  /** Every key has been read once before it is measured. */
  public NearCost() {
    for (String key : keys.all()) {
      cache.get(key);
      caffeine.put(key, VALUE);
    }
  }

  @Benchmark
  public Optional<byte[]> sluice() {
    return cache.get(keys.next());
  }

  @Benchmark
  public byte @Nullable [] floor() {
    return caffeine.getIfPresent(keys.next());
  }

  @TearDown
  public void close() {
    client.close();
  }
}
