package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemoryBloomsTest {

  @Test
  void filtersThatExpiredTakeNoRoom() {
    AtomicLong now = new AtomicLong(1_000_000);
    MemoryBackend backend = new MemoryBackend(now::get);
    MemoryBlooms blooms = (MemoryBlooms) backend.blooms();
    try (Sluice sluice = Sluice.builder().backend(backend).build()) {
      BloomSpec spread = BloomSpec.of(1_000, 0.01).maxPartitionBits(1_400);
      BloomFilter<String> first = sluice.bloomFilter("a", Funnel.utf8(), spread);
      first.create();
      first.expire(Duration.ofSeconds(10));
      BloomFilter<String> second = sluice.bloomFilter("b", Funnel.utf8(), spread);
      second.create();
      assertThat(blooms.size()).isEqualTo(14);
      now.addAndGet(11_000_000);
      second.clear();
      assertThat(blooms.size()).isEqualTo(7);
      assertThat(first.info()).isEmpty();
    }
  }
}
