package dev.sluice.state;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * Computes the bits of an element. A stored format: it must never change under the same number of
 * the hash in the header. Safe for use by many threads.
 */
public final class BloomHashing {
  /*
   * The hash is MurmurHash3 x64 128 with seed 0; h1 is its first half, h2 its second, each read as
   * a little-endian number, as the reference implementation returns them. Bits by enhanced double
   * hashing (Dillinger and Manolios, 2004): x(i) = h1 + i h2 + (i^3 - i)/6 in 64 bits, and the bit
   * is x(i) mod m, unsigned. With m at most 2^32 the bias of the remainder is below 2^-32. The
   * partition comes from the high end of h1: floor(h1 P / 2^64).
   */
  private static final Hasher128 MURMUR = Hashing.murmur3_128();

  private BloomHashing() {}

  /** The 128 bits of an element: h1 first, then h2. */
  public record Hash(long first, long second) {

    /**
     * The partition of the element.
     *
     * @param partitions how many there are, 1 to 2^32
     * @return one of them, from 0
     */
    public long partition(long partitions) {
      return unsignedMultiplyHigh(first, partitions);
    }

    /**
     * The bits of the element in its partition.
     *
     * @param bits m, bits of a partition, 1 to 2^32
     * @param target filled with bit numbers, from 0
     * @param from first place to fill
     * @param hashes k, how many
     */
    public void bits(long bits, long[] target, int from, int hashes) {
      long at = first;
      long step = second;
      for (int i = 0; i < hashes; i++) {
        target[from + i] = Long.remainderUnsigned(at, bits);
        at += step;
        step += i + 1;
      }
    }
  }

  /**
   * Hashes an element.
   *
   * @param element its bytes
   * @return the hash
   */
  public static Hash hash(byte[] element) {
    HashValue128 value = MURMUR.hashBytesTo128Bits(element);
    return new Hash(value.getLeastSignificantBits(), value.getMostSignificantBits());
  }

  /** Math.unsignedMultiplyHigh exists since Java 18. */
  private static long unsignedMultiplyHigh(long a, long b) {
    return Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a);
  }
}
