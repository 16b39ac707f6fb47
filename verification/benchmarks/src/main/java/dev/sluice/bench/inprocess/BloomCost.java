package dev.sluice.bench.inprocess;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.state.BloomHashing;
import java.nio.charset.StandardCharsets;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** From a key to the numbers of its bits. */
@State(Scope.Benchmark)
public class BloomCost {
  private final Keys keys = new Keys("product/");
  private final Funnel<String> funnel = Funnel.utf8();
  private final BloomSpec spec = BloomSpec.of(200_000, 0.01);
  private final long[] bits = new long[spec.hashes()];

  @Benchmark
  public long[] sluice() {
    BloomHashing.hash(funnel.bytes(keys.next()))
        .bits(spec.bitsPerPartition(), bits, 0, bits.length);
    return bits;
  }

  /** The hash alone. */
  @Benchmark
  public long floor() {
    return Hashing.murmur3_128()
        .hashBytesTo128Bits(keys.next().getBytes(StandardCharsets.UTF_8))
        .getLeastSignificantBits();
  }
}
