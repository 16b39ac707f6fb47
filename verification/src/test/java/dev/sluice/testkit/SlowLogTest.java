package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A log may be a file on a full disk. */
class SlowLogTest {
  private final ManualTime time = new ManualTime();

  private final CountDownLatch logging = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final FlakyBackend store = new FlakyBackend(new MemoryBackend(time::storeMicros));
  private final Sluice sluice =
      Sluice.builder().backend(store).time(time, time).callbacks(threads).build();
  private final Logger log = Logger.getLogger("dev.sluice.lock");
  private final Level before = log.getLevel();
  private final Handler halting =
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

  @BeforeEach
  void halt() {
    log.setLevel(Level.ALL); // others may have silenced it
    log.addHandler(halting);
  }

  @AfterEach
  void end() {
    goOn.countDown(); // before the close, which may wait for it
    sluice.close();
    log.removeHandler(halting);
    log.setLevel(before);
    threads.shutdown();
  }

  @Test
  void logThatStandsStillKeepsNobodyFromTheLock() throws Exception {
    DistributedLock lock = sluice.lock("seat", LockOptions.fixed(Duration.ofSeconds(1)));
    assertThat(lock.tryAcquire()).isPresent();
    threads.execute(() -> time.advance(Duration.ofSeconds(2))); // it is lost
    assertThat(logging.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(threads.submit(() -> lock.tryAcquire()).get(1, TimeUnit.MINUTES)).isPresent();
  }

  @Test
  void logOfAFailedRenewalThatStandsStillKeepsNobodyFromTheLock() throws Exception {
    DistributedLock lock = sluice.lock("seat", LockOptions.renewing(Duration.ofSeconds(30)));
    Lease lease = lock.tryAcquire().orElseThrow();
    store.failWith(FlakyBackend.Verb.RENEW, new BackendException("away", null));
    threads.execute(() -> time.advance(Duration.ofSeconds(11)));
    assertThat(logging.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(threads.submit(lease::release).get(1, TimeUnit.MINUTES)).isTrue();
    assertThat(threads.submit(() -> lock.tryAcquire()).get(1, TimeUnit.MINUTES)).isPresent();
  }
}
