package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.LockOptions;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** A log may be a file on a full disk. */
class SlowLogTest {
  private final ManualTime time = new ManualTime();

  @Test
  void logThatStandsStillKeepsNobodyFromTheLock() throws Exception {
    CountDownLatch logging = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Handler halting =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            logging.countDown();
            try {
              goOn.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger("dev.sluice.lock");
    ExecutorService threads = Executors.newCachedThreadPool();
    Level before = log.getLevel();
    log.setLevel(Level.ALL); // others may have silenced it
    log.addHandler(halting);
    try (Sluice sluice =
        Sluice.builder()
            .backend(new MemoryBackend(time::storeMicros))
            .time(time, time)
            .callbacks(threads)
            .build()) {
      DistributedLock lock = sluice.lock("seat", LockOptions.fixed(Duration.ofSeconds(1)));
      assertThat(lock.tryAcquire()).isPresent();
      threads.execute(() -> time.advance(Duration.ofSeconds(2))); // it is lost
      assertThat(logging.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(threads.submit(() -> lock.tryAcquire()).get(1, TimeUnit.MINUTES)).isPresent();
      goOn.countDown();
    } finally {
      goOn.countDown();
      log.removeHandler(halting);
      log.setLevel(before);
      threads.shutdown();
    }
  }
}
