package dev.sluice.internal.latch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.latch.DistributedLatch;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.ClientParts;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class LatchEngineTest {
  private final ManualTime time = new ManualTime();
  private final LatchEngine engine =
      new LatchEngine(
          new ClientParts(new MemoryBackend(time::storeMicros), "a", time, time, Runnable::run));

  @Test
  void coordinatorThatHasRetiredIsReplacedByTheNextCaller() {
    engine.coordinator("gate").close(); // retired; the thread that did so has yet to remove it
    DistributedLatch latch = engine.latch("gate");
    Executor ownThread =
        task -> {
          Thread thread = new Thread(task);
          thread.setDaemon(true); // it would spin for ever
          thread.start();
        };
    assertThat(CompletableFuture.supplyAsync(() -> latch.trySetCount(1), ownThread))
        .succeedsWithin(Duration.ofMinutes(1))
        .isEqualTo(true);
    assertThat(latch.countDown()).isZero();
  }
}
