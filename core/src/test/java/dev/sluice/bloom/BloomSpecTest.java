package dev.sluice.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class BloomSpecTest {

  @Test
  void sizesAreThoseOfTheTextbook() {
    BloomSpec small = BloomSpec.of(100, 0.03);
    assertThat(small.bitsPerPartition()).isEqualTo(729);
    assertThat(small.hashes()).isEqualTo(5);
    assertThat(BloomSpec.of(1_000_000, 0.01).hashes()).isEqualTo(7);
    assertThat(BloomSpec.of(1_000_000, 0.01).bitsPerPartition()).isBetween(9_585_058L, 9_595_000L);
    assertThat(BloomSpec.of(1_000_000, 1e-6).hashes()).isEqualTo(20);
  }

  @Test
  void anOddRateIsKeptToo() {
    for (double rate : new double[] {0.36, 0.5, 0.7, 0.9, 0.99}) {
      BloomSpec spec = BloomSpec.of(1_000_000, rate);
      double fill = -Math.expm1(-spec.hashes() * 1e6 / spec.bitsPerPartition());
      assertThat(Math.pow(fill, spec.hashes())).as("rate %s", rate).isLessThan(rate * 1.001);
    }
  }

  @Test
  void numbersOutOfRangeAreRefused() {
    for (double rate : new double[] {0, 1, -0.1, 1.5, Double.NaN, 1e-16, Double.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> BloomSpec.of(100, rate))
          .withMessage("falsePositiveRate must be 1e-15 to below 1: " + rate);
    }
    for (long insertions : new long[] {0, -1, Long.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> BloomSpec.of(insertions, 0.01))
          .withMessage("expectedInsertions must be >= 1: " + insertions);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BloomSpec.of(Long.MAX_VALUE, 0.01))
        .withMessageContaining("at most 2^64 bits");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BloomSpec.of(1L << 60, 0.01))
        .withMessageContaining("at most 2^32 partitions");
    for (long bits : new long[] {0, 63, 1L << 32}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> BloomSpec.of(100, 0.01).maxPartitionBits(bits))
          .withMessageStartingWith("maxPartitionBits must be 64 to 4294966784: " + bits);
    }
  }

  @Test
  void bothSidesOfABorderAreServed() {
    assertThat(BloomSpec.of(1, 0.03).bitsPerPartition()).isEqualTo(64);
    assertThat(BloomSpec.of(1, 1e-15).hashes()).isEqualTo(50);
    assertThat(BloomSpec.of(1, 1e-15).bitsPerPartition()).isBetween(64L, 80L);
    BloomSpec whole = BloomSpec.of(3_497_000, 0.01); // just below 2^25 bits
    assertThat(whole.partitions()).isOne();
    BloomSpec two = BloomSpec.of(3_500_000, 0.01);
    assertThat(two.partitions()).isEqualTo(2);
    assertThat(two.bitsPerPartition()).isBetween(1L << 24, (1L << 24) + 100_000);
  }

  @Test
  void aFilterReachesFarBeyondOneKey() {
    BloomSpec large = BloomSpec.of(100_000_000_000L, 0.01); // 2^40 bits are 114.7 billion
    assertThat(large.partitions() * large.bitsPerPartition()).isGreaterThan(950_000_000_000L);
    BloomSpec largest =
        BloomSpec.of(1, 0.01)
            .maxPartitionBits(BloomSpec.MAX_PARTITION_BITS)
            .expectedInsertions(1L << 60);
    assertThat(largest.partitions()).isBetween(2_500_000_000L, 1L << 32);
    assertThat(largest.bitsPerPartition()).isLessThanOrEqualTo(BloomSpec.MAX_PARTITION_BITS);
  }
}
