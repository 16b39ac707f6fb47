package dev.sluice.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.state.BloomHashing;
import dev.sluice.state.BloomHashing.Hash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rate that is measured is the one that was asked for. Elements are counted up, so that every
 * run sees the same; {@code -Dsluice.bloom.accuracy=full} measures up to 10^7 elements.
 */
class BloomAccuracyTest {
  private static final Funnel<Long> LONGS = Funnel.longs();

  @ParameterizedTest
  @CsvSource({
    "100, 3e-2, 20000, 1.05",
    "100, 1e-2, 20000, 1.05",
    "100, 1e-3, 5000, 1.05",
    "100, 1e-4, 1000, 1.05",
    "1000, 3e-2, 20000, 1.05",
    "1000, 1e-2, 20000, 1.05",
    "1000, 1e-3, 5000, 1.05",
    "50000, 3e-2, 20000, 1.05",
    "50000, 1e-2, 20000, 1.05",
    "50000, 1e-3, 5000, 1.05",
    "1000, 1e-4, 1000, 1.05",
    "1000, 1e-6, 10, 1.3",
  })
  void theRateIsKept(int elements, double rate, int hits, double most) {
    assertThat(measured(elements, rate, hits)).as("measured / requested").isBetween(0.5, most);
  }

  @ParameterizedTest
  @CsvSource({
    "100, 1e-4, 20000, 1.05",
    "100, 1e-6, 1000, 1.3",
    "1000, 1e-4, 20000, 1.05",
    "1000, 1e-6, 1000, 1.3",
    "100000, 1e-4, 20000, 1.05",
    "100000, 1e-6, 1000, 1.3",
    "1000000, 3e-2, 20000, 1.05",
    "1000000, 1e-2, 20000, 1.05",
    "1000000, 1e-3, 20000, 1.05",
    "1000000, 1e-4, 10000, 1.05",
    "10000000, 3e-2, 20000, 1.05",
    "10000000, 1e-2, 20000, 1.05",
    "10000000, 1e-3, 20000, 1.05",
    "10000000, 1e-4, 10000, 1.05",
    "10000000, 1e-6, 300, 1.3",
  })
  void theRateIsKeptByLargeFilters(int elements, double rate, int hits, double most) {
    // an hour of one core at most, so it is asked for
    if ("full".equals(System.getProperty("sluice.bloom.accuracy"))) {
      double ratio = measured(elements, rate, hits);
      System.out.printf("bloom accuracy: n %d, p %s: %.3f%n", elements, rate, ratio);
      assertThat(ratio).as("measured / requested").isBetween(0.5, most);
    }
  }

  @Test
  void nothingThatWasAddedIsMissing() {
    BloomSpec spec = BloomSpec.of(20_000, 0.01).maxPartitionBits(50_000);
    assertThat(spec.partitions()).isEqualTo(4);
    Bits bits = new Bits(spec);
    for (long i = 0; i < 20_000; i++) {
      bits.add(BloomHashing.hash(LONGS.bytes(i)));
    }
    for (long i = 0; i < 20_000; i++) {
      assertThat(bits.has(BloomHashing.hash(LONGS.bytes(i)))).isTrue();
    }
  }

  /** Small filters are filled many times over, because one of them may be luckier than another. */
  private static double measured(int elements, double rate, int hits) {
    BloomSpec spec = BloomSpec.of(elements, rate).maxPartitionBits(BloomSpec.MAX_PARTITION_BITS);
    long probes = (long) (hits / rate);
    long filters = Math.max(1, Math.min(500, probes / (10L * elements)));
    long found = 0;
    long next = 0;
    for (long filter = 0; filter < filters; filter++) {
      Bits bits = new Bits(spec);
      for (int i = 0; i < elements; i++) {
        bits.add(BloomHashing.hash(LONGS.bytes(next++)));
      }
      for (long i = 0; i < probes / filters; i++) {
        if (bits.has(BloomHashing.hash(LONGS.bytes(next++)))) {
          found++;
        }
      }
    }
    return found / (double) (probes / filters * filters) / rate;
  }

  /** The bits by the arithmetic of the library, without a store around them. */
  private static final class Bits {
    private final BloomSpec spec;
    private final long[] words;
    private final long[] places;

    Bits(BloomSpec spec) {
      this.spec = spec;
      this.words = new long[(int) (spec.partitions() * spec.bitsPerPartition() / 64) + 1];
      this.places = new long[spec.hashes()];
    }

    private void place(Hash hash) {
      long m = spec.bitsPerPartition();
      hash.bits(m, places, 0, places.length);
      long start = hash.partition(spec.partitions()) * m;
      for (int i = 0; i < places.length; i++) {
        assert places[i] >= 0 && places[i] < m;
        places[i] += start;
      }
    }

    void add(Hash hash) {
      place(hash);
      for (long bit : places) {
        words[(int) (bit >>> 6)] |= 1L << bit;
      }
    }

    boolean has(Hash hash) {
      place(hash);
      for (long bit : places) {
        if ((words[(int) (bit >>> 6)] & 1L << bit) == 0) {
          return false;
        }
      }
      return true;
    }
  }
}
