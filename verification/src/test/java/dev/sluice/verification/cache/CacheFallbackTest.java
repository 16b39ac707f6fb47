package dev.sluice.verification.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.cache.CacheLoadException;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.CacheStats;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.limit.Limit;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Fault;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that does not answer keeps nobody from the database. */
class CacheFallbackTest {
  private static final Duration ONE_MINUTE = Duration.ofMinutes(1);

  private final FlakyBackend line = new FlakyBackend(new MemoryBackend());
  private final Sluice sluice = Sluice.builder().backend(line).build();

  @AfterEach
  void close() {
    sluice.close();
  }

  @Test
  void oneLateAnswerIsNoProofThatTheStoreIsAway() {
    line.set(Verb.READ, Fault.LOSES_REQUEST);
    assertThat(load().fallbackLoads()).isZero();
  }

  @Test
  void loadsPastTheStoreWithoutALease() {
    line.set(Verb.BEGIN, Fault.LOSES_REQUEST);
    assertThat(load().fallbackLoads()).isEqualTo(1);
  }

  /** The second and later ones look at what the first one left in the limit. */
  @Test
  void loadsPastTheStoreAsOftenAsTheLimitAllows() {
    line.set(Verb.BEGIN, Fault.LOSES_REQUEST);
    GuardedCache<Long, String> cache =
        GuardedCache.create(
            sluice,
            "often",
            CacheOptions.of(Long.class, Codec.utf8())
                .fallback(Limit.tokenBucket(1, Duration.ofHours(1)).burst(3))
                .deadline(Duration.ofMillis(20)),
            key -> "loaded");
    for (long key = 1; key <= 3; key++) {
      assertThat(cache.get(key)).contains("loaded");
    }
    assertThatThrownBy(() -> cache.get(4L)).isInstanceOf(CacheLoadException.class);
    assertThat(cache.stats().fallbackLoads()).isEqualTo(3);
    assertThat(cache.stats().fallbackRejections()).isEqualTo(1);
  }

  /** Its lock is at the store too. */
  @Test
  void updateInTurnWaitsAMinuteForItsLockAndIsRefused() {
    ManualTime time = new ManualTime();
    FlakyBackend away = new FlakyBackend(new MemoryBackend(time::storeMicros));
    away.setAll(Fault.LOSES_REQUEST);
    try (Sluice client = Sluice.builder().backend(away).time(time, time).build()) {
      GuardedCache<Long, String> cache =
          GuardedCache.create(
              client, "turns", CacheOptions.of(Long.class, Codec.utf8()).serial(), key -> "loaded");
      AtomicInteger writes = new AtomicInteger();
      long start = time.nanos();
      CompletableFuture<Integer> update =
          cache
              .async()
              .update(1L, () -> CompletableFuture.completedFuture(writes.incrementAndGet()))
              .toCompletableFuture();
      await()
          .atMost(ONE_MINUTE)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(
              () -> {
                time.advance(Duration.ofMillis(100));
                return update.isDone();
              });
      assertThat(Duration.ofNanos(time.nanos() - start)).isGreaterThanOrEqualTo(ONE_MINUTE);
      assertThat(update)
          .failsWithin(ONE_MINUTE)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(BackendException.class);
      assertThat(writes).hasValue(0);
    }
  }

  private CacheStats load() {
    GuardedCache<Long, String> cache =
        GuardedCache.create(
            sluice, "away", CacheOptions.of(Long.class, Codec.utf8()), key -> "loaded");
    assertThat(cache.async().get(1L))
        .succeedsWithin(ONE_MINUTE)
        .satisfies(value -> assertThat(value).contains("loaded"));
    return cache.stats();
  }
}
