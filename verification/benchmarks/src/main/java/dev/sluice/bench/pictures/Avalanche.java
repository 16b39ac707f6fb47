package dev.sluice.bench.pictures;

import dev.sluice.Sluice;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.memory.MemoryBackend;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Keys that were stored in one moment, and what the database is asked when they expire. The store's
 * time is set by hand, so a minute passes in a second.
 */
final class Avalanche {
  static final int KEYS = 5_000;
  private static final long TTL = 60_000_000;
  private static final long FROM = 50_000_000;
  private static final long TO = 65_000_000;
  private static final long BIN = 250_000;
  private static final long STEP = 10_000;

  /** So many reads in a step that each key is read about twice a second. */
  private static final int READS = 100;

  private Avalanche() {}

  /**
   * @param plain loads a second, by the quarter of a second
   * @param guarded the same
   */
  record Outcome(double[] plain, double[] guarded) {
    /** The first second of the curves, from when the keys were stored. */
    static double begin() {
      return FROM / 1e6;
    }

    static double bin() {
      return BIN / 1e6;
    }
  }

  static Outcome run() {
    return new Outcome(plain(), guarded());
  }

  private static double[] plain() {
    AtomicLong now = new AtomicLong(1);
    AtomicLong loads = new AtomicLong();
    PlainCache<Long> cache = new PlainCache<>(now::get, TTL);
    return play(now, loads, key -> cache.get(key, wanted -> "row " + loads.incrementAndGet()));
  }

  private static double[] guarded() {
    AtomicLong now = new AtomicLong(1);
    AtomicLong loads = new AtomicLong();
    try (Sluice sluice = Sluice.builder().backend(new MemoryBackend(now::get)).build()) {
      GuardedCache<Long, String> cache =
          GuardedCache.create(
              sluice,
              "avalanche",
              CacheOptions.of(Long.class, Codec.utf8()).ttl(Duration.ofNanos(TTL * 1_000)),
              key -> "row " + loads.incrementAndGet());
      return play(now, loads, cache::get);
    }
  }

  private static double[] play(AtomicLong now, AtomicLong loads, LongConsumer read) {
    for (long key = 0; key < KEYS; key++) {
      read.accept(key);
    }
    Random random = new Random(1);
    double[] rates = new double[(int) ((TO - FROM) / BIN)];
    long before = loads.get();
    for (int bin = 0; bin < rates.length; bin++) {
      for (long at = 0; at < BIN; at += STEP) {
        now.set(1 + FROM + bin * BIN + at);
        for (int i = 0; i < READS; i++) {
          read.accept(random.nextInt(KEYS));
        }
      }
      rates[bin] = (loads.get() - before) / (BIN / 1e6);
      before = loads.get();
    }
    return rates;
  }
}
