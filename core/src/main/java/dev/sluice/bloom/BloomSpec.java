package dev.sluice.bloom;

import org.jspecify.annotations.Nullable;

/**
 * The size of a filter: its expected number of elements, and the rate of false positives at that
 * number. An immutable value: a factory chooses both, and each further method returns a changed
 * copy. A value out of its range throws {@link IllegalArgumentException} when it is made.
 *
 * <p>The sizes are those of the textbook: {@code k = -log2 p} bits for each element, rounded, and
 * the {@code m = -kn / ln(1 - p^(1/k))} bits that give the rate with that {@code k}. Without the
 * rounding that is {@code -n ln p / (ln 2)^2}.
 *
 * <pre>{@code
 * BloomSpec million = BloomSpec.of(1_000_000, 0.01); // 1 % wrong "maybe" answers
 * BloomFilter<String> known = sluice.bloomFilter("users", Funnel.utf8(), million);
 * }</pre>
 *
 * @since 0.1
 */
public final class BloomSpec {

  /** The most bits under one key: Redis's limit, less the header. */
  public static final long MAX_PARTITION_BITS = (1L << 32) - 512;

  /**
   * Default of the bits under one key: 4 MiB, which a server allocates within 5 ms. It is the bound
   * of what one command may allocate.
   */
  public static final long DEFAULT_PARTITION_BITS = 1L << 25;

  /** The least bits under one key. */
  public static final long MIN_PARTITION_BITS = 64;

  /** The most partitions of a filter. */
  public static final long MAX_PARTITIONS = 1L << 32;

  private static final double MIN_RATE = 1e-15;
  private static final double LN2 = Math.log(2);
  private final Values values;

  private BloomSpec(Values values) {
    this.values = values;
  }

  private record Values(long expectedInsertions, double falsePositiveRate, long maxPartitionBits) {
    Values {
      if (expectedInsertions < 1) {
        throw new IllegalArgumentException(
            "expectedInsertions must be >= 1: " + expectedInsertions);
      }
      if (!(falsePositiveRate >= MIN_RATE && falsePositiveRate < 1)) {
        throw new IllegalArgumentException(
            "falsePositiveRate must be 1e-15 to below 1: " + falsePositiveRate);
      }
      if (maxPartitionBits < MIN_PARTITION_BITS || maxPartitionBits > MAX_PARTITION_BITS) {
        throw new IllegalArgumentException(
            "maxPartitionBits must be "
                + MIN_PARTITION_BITS
                + " to "
                + MAX_PARTITION_BITS
                + ": "
                + maxPartitionBits);
      }
      double bits = textbook(expectedInsertions, falsePositiveRate);
      if (bits > 0x1p64) {
        throw new IllegalArgumentException(
            "a filter has at most 2^64 bits, and "
                + expectedInsertions
                + " elements at "
                + falsePositiveRate
                + " need "
                + bits);
      }
      if (Math.ceil(bits / maxPartitionBits) > MAX_PARTITIONS) {
        throw new IllegalArgumentException(
            "a filter has at most 2^32 partitions, and "
                + bits
                + " bits need more of "
                + maxPartitionBits
                + "; set a larger maxPartitionBits first");
      }
    }
  }

  /**
   * Returns the optimal size by the usual formula.
   *
   * @param expectedInsertions elements after which the rate of false positives is the one given, 1
   *     or more; more elements raise it
   * @param falsePositiveRate wrong "maybe" answers among elements that are not in the filter, 1e-15
   *     to below 1
   * @return the size, in partitions of at most 4 MiB
   * @throws IllegalArgumentException if a number is out of its range, or more than 2^64 bits would
   *     be needed
   */
  public static BloomSpec of(long expectedInsertions, double falsePositiveRate) {
    return new BloomSpec(new Values(expectedInsertions, falsePositiveRate, DEFAULT_PARTITION_BITS));
  }

  /**
   * Returns this filter with another number of keys. A large key is one allocation of the server:
   * 512 MiB stop it for a quarter of a second.
   *
   * @param bits most bits under one key, {@link #MIN_PARTITION_BITS} to {@link #MAX_PARTITION_BITS}
   *     (default: {@link #DEFAULT_PARTITION_BITS}); a larger filter is spread over several keys
   * @return changed size
   */
  public BloomSpec maxPartitionBits(long bits) {
    return new BloomSpec(new Values(values.expectedInsertions, values.falsePositiveRate, bits));
  }

  /**
   * Returns a specification with the same rate for another number of elements.
   *
   * @param expectedInsertions 1 or more
   * @return changed size
   */
  public BloomSpec expectedInsertions(long expectedInsertions) {
    return new BloomSpec(
        new Values(expectedInsertions, values.falsePositiveRate, values.maxPartitionBits));
  }

  /** {@return the number of elements up to which the false-positive rate holds} */
  public long expectedInsertions() {
    return values.expectedInsertions;
  }

  /** {@return the rate of wrong "maybe" answers among absent elements} */
  public double falsePositiveRate() {
    return values.falsePositiveRate;
  }

  /** {@return the most bits under one key} */
  public long maxPartitionBits() {
    return values.maxPartitionBits;
  }

  private static double textbook(long insertions, double rate) {
    int hashes = hashes(rate);
    return -(double) insertions * hashes / Math.log1p(-Math.pow(rate, 1.0 / hashes));
  }

  private static int hashes(double rate) {
    return (int) Math.max(1, Math.round(-Math.log(rate) / LN2));
  }

  /** {@return k: the number of bits of one element, 1 to 50} */
  public int hashes() {
    return hashes(values.falsePositiveRate);
  }

  /** {@return the number of keys that the filter is spread over, 1 to 2^32} */
  public long partitions() {
    return (long)
        Math.ceil(
            textbook(values.expectedInsertions, values.falsePositiveRate)
                / (double) values.maxPartitionBits);
  }

  /** {@return m: the number of bits of one partition, at least 64} */
  public long bitsPerPartition() {
    double bits = textbook(values.expectedInsertions, values.falsePositiveRate);
    long partitions = partitions();
    long each = (long) (partitions == 1 ? bits : Math.ceil(bits / partitions));
    return Math.min(values.maxPartitionBits, Math.max(MIN_PARTITION_BITS, each));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof BloomSpec spec && values.equals(spec.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "BloomSpec");
  }
}
