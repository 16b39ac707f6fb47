package dev.sluice.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ForeignDataException;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.spi.BloomHeader.State;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Headers of Bloom filters, as they are stored and read. */
class BloomHeaderTest {
  private static final BloomPart FIRST = new BloomPart("ids", 0, false);

  private static BloomHeader read(BloomHeader header) {
    return BloomHeader.read(header.words("ids"), FIRST, "the string");
  }

  @Test
  void everySizeIsReadAsItWasWritten() {
    Random random = new Random(20_261_127);
    for (int i = 0; i < 200_000; i++) {
      BloomSpec spec =
          BloomSpec.of(1, Math.pow(10, -15 * random.nextDouble()) * 0.999_999)
              .maxPartitionBits((long) Math.pow(2, 6 + 25.9 * random.nextDouble()))
              .expectedInsertions((long) Math.pow(2, 31 * random.nextDouble()));
      BloomHeader header = BloomHeader.of(spec, State.READY);
      assertThat(read(header)).as("%s", spec).isEqualTo(header);
    }
  }

  @Test
  void aSizeThatDoesNotFollowFromTheElementsIsForeign() {
    BloomHeader good =
        BloomHeader.of(BloomSpec.of(1_000_000, 0.01).maxPartitionBits(1 << 20), State.READY);
    assertThat(read(good)).isEqualTo(good);
    assertForeign(of(good, good.hashes() - 1, good.bits(), good.partitions()));
    assertForeign(of(good, good.hashes(), good.bits() / 2, good.partitions()));
    assertForeign(of(good, good.hashes(), good.bits() + 100, good.partitions()));
    assertForeign(of(good, good.hashes(), good.bits(), good.partitions() + 1));
    assertForeign(of(good, good.hashes(), good.bits(), 0));
  }

  private static BloomHeader of(BloomHeader like, int hashes, long bits, long partitions) {
    return new BloomHeader(
        hashes,
        like.state(),
        like.nonce(),
        bits,
        like.epoch(),
        partitions,
        0,
        like.expectedInsertions(),
        like.falsePositiveRate(),
        0);
  }

  private static void assertForeign(BloomHeader header) {
    assertThatThrownBy(() -> read(header))
        .as("%s", header)
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining("damaged");
  }
}
