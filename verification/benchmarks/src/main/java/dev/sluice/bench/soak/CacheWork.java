package dev.sluice.bench.soak;

import dev.sluice.Sluice;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.Consistency;
import dev.sluice.cache.GuardedCache;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/** Two guarded caches over one table of versions, and what STRONG promises on the way. */
final class CacheWork {
  private static final int KEYS = 200;

  private final String prefix;
  private final LoadCounts counts;
  private final AtomicLongArray table = new AtomicLongArray(KEYS);
  private final AtomicLongArray published = new AtomicLongArray(KEYS);

  CacheWork(String prefix, LoadCounts counts) {
    this.prefix = prefix;
    this.counts = counts;
  }

  /** Short lives, so that keys are loaded again and again. */
  private GuardedCache<Integer, String> cache(Sluice sluice, Consistency consistency) {
    String name = prefix + "cache-" + consistency;
    var options =
        CacheOptions.of(Integer.class, Codec.utf8())
            .ttl(Duration.ofSeconds(2))
            .absentTtl(Duration.ofSeconds(1))
            .consistency(consistency);
    if (consistency == Consistency.EVENTUAL) {
      options = options.near(KEYS / 4).staleOnError(Duration.ofSeconds(5));
    }
    return GuardedCache.create(sluice, name, options, key -> Long.toString(table.get(key)));
  }

  Work caches(Sluice sluice) {
    GuardedCache<Integer, String> strong = cache(sluice, Consistency.STRONG);
    GuardedCache<Integer, String> eventual = cache(sluice, Consistency.EVENTUAL);
    return random -> {
      int key = random.nextInt(KEYS);
      if (random.nextInt(10) == 0) {
        long version = strong.update(key, () -> table.incrementAndGet(key));
        published.accumulateAndGet(key, version, Math::max);
        eventual.invalidate(key);
      } else if (random.nextBoolean()) {
        long least = published.get(key);
        long read = Long.parseLong(strong.get(key).orElse("-1"));
        if (read < least) {
          counts.broke("C2", "key " + key + " read " + read + " after " + least + " was written");
        }
      } else {
        eventual.get(key);
      }
      counts.done("guarded caches");
    };
  }
}
