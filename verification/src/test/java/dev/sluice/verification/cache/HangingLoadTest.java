package dev.sluice.verification.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Fault;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A loader that never returns, without a hard timeout. Time is moved by the test. */
class HangingLoadTest {
  private static final Duration ONE_MINUTE = Duration.ofMinutes(1);

  private final ManualTime time = new ManualTime();
  private final FlakyBackend line = new FlakyBackend(new MemoryBackend(time::storeMicros));
  private final Sluice sluice = Sluice.builder().backend(line).time(time, time).build();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch end = new CountDownLatch(1);
  private final AtomicInteger loads = new AtomicInteger();
  private final GuardedCache<String, String> cache =
      GuardedCache.create(
          sluice, "hanging", CacheOptions.of(String.class, Codec.utf8()), key -> load());

  @AfterEach
  void close() {
    end.countDown();
    sluice.close();
    threads.shutdown();
  }

  private String load() {
    int load = loads.incrementAndGet();
    if (load == 1) {
      try {
        end.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return "load " + load;
  }

  private CompletableFuture<Optional<String>> reading() {
    return CompletableFuture.supplyAsync(() -> cache.get("key"), threads);
  }

  /** With a store, the load has a lease of it; without one, nothing bounds it but its process. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void readersOfItsProcessWaitAMinuteForItAndLoadThemselves(boolean away) {
    if (away) {
      line.set(Verb.BEGIN, Fault.LOSES_REQUEST);
    }
    CompletableFuture<Optional<String>> leader = reading();
    await().atMost(ONE_MINUTE).until(() -> loads.get() == 1);
    CompletableFuture<Optional<String>> other = reading();
    long start = time.nanos();
    await()
        .atMost(ONE_MINUTE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              time.advance(Duration.ofMillis(500));
              return other.isDone();
            });
    assertThat(Duration.ofNanos(time.nanos() - start)).isGreaterThan(ONE_MINUTE.minusSeconds(5));
    assertThat(other).isCompletedWithValue(Optional.of("load 2"));
    assertThat(leader).isNotDone();
    end.countDown();
    assertThat(leader).succeedsWithin(ONE_MINUTE).isEqualTo(Optional.of("load 1"));
  }
}
