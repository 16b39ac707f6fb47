package dev.sluice.bench.run;

import dev.sluice.Sluice;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Keys that were stored together, while they expire; in virtual time, over the memory backend. */
final class Expiries {
  private static final byte[] VALUE = {1};

  private Expiries() {}

  /** {@return loads in each bin of the last tenth of the TTL} */
  static long[] run(Order.Expire order) {
    ManualTime time = new ManualTime();
    AtomicLong loads = new AtomicLong();
    List<String> keys =
        IntStream.range(0, order.keys()).mapToObj(number -> "user/" + number).toList();
    try (Sluice sluice =
        Sluice.builder()
            .backend(new MemoryBackend(time::storeMicros))
            .time(time, time)
            .callbacks(Runnable::run)
            .build()) {
      GuardedCache<String, byte[]> cache =
          GuardedCache.builder(sluice, "expiring", String.class, Codec.bytes())
              .ttl(order.ttl())
              .jitter(order.jitter())
              .build(
                  key -> {
                    loads.incrementAndGet();
                    return VALUE;
                  });
      keys.forEach(key -> cache.put(key, VALUE));
      Duration tenth = order.ttl().dividedBy(10);
      time.advance(order.ttl().minus(tenth));
      long before = loadsOfAll(cache, keys, loads);
      if (before > 0) {
        throw new IllegalStateException(before + " keys expired too early");
      }
      long[] bins = new long[order.bins()];
      for (int bin = 0; bin < bins.length; bin++) {
        time.advance(tenth.dividedBy(bins.length));
        bins[bin] = loadsOfAll(cache, keys, loads);
      }
      return bins;
    }
  }

  private static long loadsOfAll(
      GuardedCache<String, byte[]> cache, List<String> keys, AtomicLong loads) {
    long before = loads.get();
    keys.forEach(cache::get);
    return loads.get() - before;
  }
}
