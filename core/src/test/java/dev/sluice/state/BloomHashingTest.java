package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bloom.Funnel;
import dev.sluice.state.BloomHashing.Hash;
import java.math.BigInteger;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BloomHashingTest {

  @Test
  void theHashIsMurmur3AsEverybodyHasIt() {
    // the published value of the reference implementation, and of an empty input
    assertThat(text("")).isEqualTo(new Hash(0, 0));
    assertThat(text("The quick brown fox jumps over the lazy dog"))
        .isEqualTo(new Hash(0xe34bbc7bbc071b6cL, 0x7a433ca9c49a9347L));
  }

  private static Hash text(String text) {
    return BloomHashing.hash(Funnel.utf8().bytes(text));
  }

  @Test
  void bitsAreThoseOfExactArithmetic() {
    SplittableRandom random = new SplittableRandom(42);
    for (int i = 0; i < 2_000; i++) {
      Hash hash = new Hash(random.nextLong(), random.nextLong());
      long m = random.nextLong(1, 1L << random.nextInt(1, 33));
      long partitions = random.nextLong(1, (1L << random.nextInt(1, 33)) + 1);
      long[] bits = new long[20];
      hash.bits(m, bits, 0, 20);
      for (int j = 0; j < 20; j++) {
        BigInteger x =
            unsigned(hash.first())
                .add(unsigned(hash.second()).multiply(BigInteger.valueOf(j)))
                .add(BigInteger.valueOf((j * j * j - j) / 6))
                .mod(BigInteger.ONE.shiftLeft(64));
        assertThat(bits[j]).isEqualTo(x.mod(BigInteger.valueOf(m)).longValueExact());
      }
      assertThat(hash.partition(partitions))
          .isEqualTo(
              unsigned(hash.first())
                  .multiply(BigInteger.valueOf(partitions))
                  .shiftRight(64)
                  .longValueExact());
    }
  }

  private static BigInteger unsigned(long number) {
    return new BigInteger(Long.toUnsignedString(number));
  }

  @Test
  void theWholeOfTwoToTheSixtyFourIsAddressed() {
    long partitions = 1L << 32;
    long m = 1L << 32;
    long[] bit = new long[1];
    new Hash(-1, 0).bits(m, bit, 0, 1);
    assertThat(new Hash(-1, 0).partition(partitions)).isEqualTo(partitions - 1);
    assertThat(bit[0]).isEqualTo(m - 1);
    new Hash(0, 0).bits(m, bit, 0, 1);
    assertThat(new Hash(0, 0).partition(partitions)).isZero();
    assertThat(bit[0]).isZero();
  }

  @Test
  void funnelsGiveTheBytesThatAreDocumented() {
    assertThat(Funnel.utf8().bytes("é")).containsExactly(0xC3, 0xA9);
    assertThat(Funnel.longs().bytes(258L)).containsExactly(0, 0, 0, 0, 0, 0, 1, 2);
    assertThat(Funnel.uuid().bytes(UUID.fromString("00010203-0405-0607-0809-0a0b0c0d0e0f")))
        .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    assertThat(Funnel.bytes().bytes(new byte[] {7})).containsExactly(7);
  }
}
