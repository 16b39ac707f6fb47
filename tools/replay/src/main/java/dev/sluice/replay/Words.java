package dev.sluice.replay;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Bytes, eight at a time. */
final class Words {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;
  private static final Hasher64 HASHER = Hashing.komihash5_0();

  private Words() {}

  static long at(byte[] bytes, int index) {
    return (long) LONGS.get(bytes, index);
  }

  /** The first index of a byte, or -1. */
  static int indexOf(byte wanted, byte[] bytes, int from, int to) {
    long pattern = (wanted & 0xFFL) * ONES;
    int i = from;
    for (; i <= to - 8; i += 8) {
      long differs = at(bytes, i) ^ pattern; // zero in each byte that is the wanted one
      long found = (differs - ONES) & ~differs & HIGHS;
      if (found != 0) {
        return i + (Long.numberOfTrailingZeros(found) >>> 3);
      }
    }
    for (; i < to; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  /**
   * A 64-bit hash of a key, never 0. Two of a million keys coincide with a chance of 1 in 37
   * million.
   */
  static long hash(byte[] bytes, int from, int to) {
    long hash = HASHER.hashBytesToLong(bytes, from, to - from);
    return hash == 0 ? 1 : hash;
  }
}
