package dev.sluice.bench.pictures;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Questions for ids that do not exist, and how many of them the database gets. */
final class Penetration {
  static final int ASKED = 50_000;
  private static final int SAME = 100;
  private static final int PRODUCTS = 10_000;

  private Penetration() {}

  /**
   * One way to cache.
   *
   * @param random queries when every id is another one
   * @param repeated queries when the same hundred ids come again and again
   */
  record Outcome(String name, long random, long repeated) {}

  static List<Outcome> run() {
    return List.of(plain(), absent(), guarded());
  }

  private static Outcome plain() {
    AtomicLong queries = new AtomicLong();
    PlainCache<Long> cache = new PlainCache<>(() -> 0, 60_000_000);
    return play("cache-aside", queries, id -> cache.get(id, query(queries)));
  }

  private static Outcome absent() {
    AtomicLong queries = new AtomicLong();
    try (Sluice sluice = Sluice.connect("memory:")) {
      GuardedCache<Long, String> cache =
          GuardedCache.create(
              sluice, "penetration", CacheOptions.of(Long.class, Codec.utf8()), query(queries));
      return play("absent is cached", queries, cache::get);
    }
  }

  private static Outcome guarded() {
    AtomicLong queries = new AtomicLong();
    try (Sluice sluice = Sluice.connect("memory:")) {
      BloomFilter<Long> ids =
          sluice.bloomFilter("ids", Funnel.longs(), BloomSpec.of(PRODUCTS, 0.01));
      ids.create();
      ids.addAll(LongStream.range(0, PRODUCTS).boxed().toList());
      GuardedCache<Long, String> cache =
          GuardedCache.create(
              sluice,
              "penetration",
              CacheOptions.of(Long.class, Codec.utf8()).existsIn(ids),
              query(queries));
      return play("and a Bloom guard, 1 %", queries, cache::get);
    }
  }

  private static Function<Long, @Nullable String> query(AtomicLong queries) {
    return id -> {
      queries.incrementAndGet();
      return id < PRODUCTS ? "row" : null;
    };
  }

  private static Outcome play(String name, AtomicLong queries, LongConsumer read) {
    Random random = new Random(2);
    for (int i = 0; i < ASKED; i++) {
      read.accept(PRODUCTS + (random.nextLong() >>> 2));
    }
    long distinct = queries.get();
    for (int i = 0; i < ASKED; i++) {
      read.accept(PRODUCTS + i % SAME);
    }
    return new Outcome(name, distinct, queries.get() - distinct);
  }
}
