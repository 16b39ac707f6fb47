package dev.sluice.verification.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Fault;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Copies in other processes are told after the store was, however long that takes. */
class CacheLogTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final MemoryBackend store = new MemoryBackend();
  private final FlakyBackend writersLine = new FlakyBackend(store);
  private final FlakyBackend readersLine = new FlakyBackend(store);
  private final Sluice writer = Sluice.builder().backend(writersLine).build();
  private final Sluice reader = Sluice.builder().backend(readersLine).build();
  private final AtomicReference<String> database = new AtomicReference<>("old");
  private final GuardedCache<Long, String> writes = cache(writer, builder -> builder);
  private final GuardedCache<Long, String> reads =
      cache(reader, builder -> builder.near(10).nearStaleness(Duration.ofMillis(100)));

  @AfterEach
  void close() {
    reader.close();
    writer.close();
  }

  private GuardedCache<Long, String> cache(
      Sluice sluice, Function<CacheOptions<Long, String>, CacheOptions<Long, String>> more) {
    CacheOptions<Long, String> patient =
        CacheOptions.of(Long.class, Codec.utf8()).deadline(PATIENCE);
    return GuardedCache.create(sluice, "logged", more.apply(patient), key -> database.get());
  }

  @Test
  void invalidationThatIsLong() {
    copied();
    writersLine.next(Verb.INVALIDATE, Fault.HOLDS_REQUEST);
    database.set("new");
    staysTold(writes.async().invalidate(1L));
  }

  @Test
  void putThatIsLong() {
    copied();
    writersLine.next(Verb.PUT, Fault.HOLDS_REQUEST);
    database.set("new");
    staysTold(writes.async().put(1L, "new"));
  }

  @Test
  void clearThatIsLong() {
    copied();
    writersLine.next(Verb.CLEAR, Fault.HOLDS_REQUEST);
    database.set("new");
    staysTold(CompletableFuture.runAsync(writes::clear));
  }

  private void copied() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(reads.get(1L)).contains("old");
              assertThat(reads.stats().nearHits()).isPositive();
            });
  }

  /** The reader polls, and reads the old value, before the store drops it. */
  private void staysTold(CompletionStage<?> invalidated) {
    CompletableFuture<?> done = invalidated.toCompletableFuture();
    await().atMost(PATIENCE).until(() -> writersLine.heldCalls() == 1);
    int polls = readersLine.calls(Verb.LOG);
    await().atMost(PATIENCE).until(() -> readersLine.calls(Verb.LOG) >= polls + 3);
    assertThat(reads.get(1L)).contains("old");
    assertThat(done).isNotDone();

    writersLine.takeHeld().deliver();
    assertThat(done).succeedsWithin(PATIENCE);
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(reads.get(1L)).contains("new"));
  }
}
