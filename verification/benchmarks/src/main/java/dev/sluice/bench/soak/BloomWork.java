package dev.sluice.bench.soak;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** A Bloom filter that fills up to its plan, and B1 on the way. */
final class BloomWork {
  private static final int ELEMENTS = 20_000;

  private final String prefix;
  private final LoadCounts counts;
  private final AtomicIntegerArray added = new AtomicIntegerArray(ELEMENTS);

  BloomWork(String prefix, LoadCounts counts) {
    this.prefix = prefix;
    this.counts = counts;
  }

  Work bloom(Sluice sluice) {
    BloomFilter<String> filter =
        sluice.bloomFilter(prefix + "bloom", Funnel.utf8(), BloomSpec.of(ELEMENTS, 0.01));
    filter.create();
    return random -> {
      int i = random.nextInt(ELEMENTS);
      boolean known = added.get(i) == 1;
      if (random.nextInt(4) == 0) {
        filter.add("element " + i);
        added.set(i, 1);
      } else if (!filter.mightContain("element " + i) && known) {
        counts.broke("B1", "element " + i + " was added and is denied");
      }
      counts.done("Bloom filter");
    };
  }
}
