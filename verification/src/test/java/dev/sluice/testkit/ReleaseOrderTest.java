package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * A release that reaches the store after the acquire that follows it finds nothing to free, and its
 * caller would be told that the lease had been lost.
 */
class ReleaseOrderTest {
  private static final int THREADS = 3;
  private static final int TURNS = 100_000;

  @Test
  void noThreadIsToldThatItLostALeaseThatNobodyTook() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try (Sluice sluice = Sluice.connect("memory:")) {
      DistributedLock lock = sluice.lock("order");
      CountDownLatch together = new CountDownLatch(THREADS);
      List<Future<Integer>> losses = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        losses.add(
            pool.submit(
                () -> {
                  together.countDown();
                  together.await();
                  int lost = 0;
                  for (int turn = 0; turn < TURNS; turn++) {
                    if (!lock.acquire(Duration.ofMinutes(1)).release()) {
                      lost++;
                    }
                  }
                  return lost;
                }));
      }
      int lost = 0;
      for (Future<Integer> each : losses) {
        lost += each.get();
      }
      assertThat(lost).isZero();
    } finally {
      pool.shutdownNow();
    }
  }
}
