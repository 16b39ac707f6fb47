package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many threads of several clients on few names: no error, no update lost, nothing left. */
class LockLoadTest {
  private static final int NAMES = 5;
  private static final Duration AGES = Duration.ofSeconds(60);
  private static final LockOptions LONG = LockOptions.renewing(Duration.ofSeconds(30));

  private final AtomicLong ahead = new AtomicLong();
  private final long wall = System.currentTimeMillis() * 1000;
  private final long start = System.nanoTime();
  private final MemoryBackend store =
      new MemoryBackend(() -> wall + ahead.get() + (System.nanoTime() - start) / 1000);
  private final List<Sluice> clients = List.of(client(), client(), client(), client());
  private final long[] counters = new long[NAMES]; // plain on purpose: the locks order accesses

  private Sluice client() {
    return Sluice.builder().backend(store).build();
  }

  @AfterEach
  void close() {
    clients.forEach(Sluice::close);
  }

  @Test
  void fiveThousandTurnsOfThirtyTwoThreads() throws Exception {
    AtomicInteger left = new AtomicInteger(5_000);
    long done =
        run(
            32,
            client -> {
              long turns = 0;
              for (int i = left.decrementAndGet(); i >= 0; i = left.decrementAndGet()) {
                int name = i % NAMES;
                try (Lease lease = client.lock("seat/" + name, LONG).acquire(AGES)) {
                  lease.checkHeld();
                  counters[name]++;
                }
                turns++;
              }
              return turns;
            });
    assertThat(done).isEqualTo(5_000);
    assertThat(counters).containsOnly(1_000);
    assertNothingLeft();
  }

  @Test
  void sixteenThousandTriesOfSixteenThreads() throws Exception {
    long granted =
        run(
            16,
            client -> {
              long taken = 0;
              for (int i = 0; i < 1_000; i++) {
                int name = i % NAMES;
                Optional<Lease> lease = client.lock("seat/" + name, LONG).tryAcquire();
                if (lease.isPresent()) {
                  counters[name]++;
                  assertThat(lease.get().release()).isTrue();
                  taken++;
                }
              }
              return taken;
            });
    assertThat(granted).isPositive();
    assertThat(Arrays.stream(counters).sum()).isEqualTo(granted);
    assertNothingLeft();
  }

  private interface Turns {
    long run(Sluice client) throws Exception;
  }

  private long run(int threads, Turns turns) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Long>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        Sluice client = clients.get(i % clients.size());
        tasks.add(() -> turns.run(client));
      }
      long sum = 0;
      for (Future<Long> each : pool.invokeAll(tasks, 5, TimeUnit.MINUTES)) {
        sum += each.get();
      }
      return sum;
    } finally {
      pool.shutdownNow();
    }
  }

  private void assertNothingLeft() {
    for (int i = 0; i < NAMES; i++) {
      LockInfo info = store.locks().inspect("seat/" + i).toCompletableFuture().join().asLock();
      assertThat(info.holder()).isEmpty();
      assertThat(info.waiters()).isEmpty();
    }
    ahead.addAndGet(TimeUnit.SECONDS.toMicros(62));
    assertThat(store.locks().names(10).toCompletableFuture().join()).isEmpty();
  }
}
