package dev.sluice.internal.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Many threads take one lock by turns; a thread that nobody wakes up would run out of its wait. */
class HandOffStressTest {
  private static final int TURNS = 20_000;

  /** Guarded by the lock under test, nothing else. */
  private int counter;

  @Test
  void nobodyIsForgottenBetweenTheCallAndTheFirstSleep() throws Exception {
    for (int threads : new int[] {2, 3, 8}) {
      counter = 0;
      ExecutorService pool = Executors.newFixedThreadPool(threads);
      try (Sluice sluice = Sluice.connect("memory:")) {
        // a lease that is not renewed: nothing else would come by and wake the forgotten one
        DistributedLock lock = sluice.lock("seat", LockOptions.fixed(Duration.ofMinutes(10)));
        List<Future<?>> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          workers.add(
              pool.submit(
                  () -> {
                    for (int turn = 0; turn < TURNS; turn++) {
                      lock.run(Duration.ofSeconds(60), () -> counter++);
                    }
                    return null;
                  }));
        }
        for (Future<?> worker : workers) {
          worker.get(5, TimeUnit.MINUTES);
        }
      } finally {
        pool.shutdownNow();
      }
      assertThat(counter).isEqualTo(threads * TURNS);
    }
  }
}
