package dev.sluice.testkit.cache;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.MissingDataException;
import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.cache.CacheLoadException;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Consistency;
import dev.sluice.cache.GuardedCache;
import dev.sluice.limit.Limit;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/**
 * Tests during and after an outage of the store.
 *
 * @since 0.1
 */
public interface CacheOutages extends CacheContract {
  Duration DEADLINE = Duration.ofMillis(100);
  Limit PLENTY = Limit.fixedWindow(100_000, LONG);

  private CacheOptions<String, String> strict() {
    return settings().deadline(DEADLINE).fallback(PLENTY);
  }

  private <T> T ended(Task<T> task) throws Exception {
    Running<T> running = start(task);
    within("it ends", Duration.ofSeconds(3), () -> running.future().isDone());
    return running.result();
  }

  private void end(Runnable call) throws Exception {
    ended(
        () -> {
          call.run();
          return true;
        });
  }

  @Test
  default void c4_everyCallEndsAndTheStoreIsSpared() throws Exception {
    for (FlakyBackend.Fault broken :
        List.of(LOSES_REQUEST, LOSES_REPLY, HOLDS_REQUEST, HOLDS_REPLY)) {
      for (boolean serial : List.of(false, true)) {
        FlakyBackend line = line();
        GuardedCache<String, String> cache =
            GuardedCache.create(
                client(line), NAME, serial ? strict().serial() : strict(), database()::load);
        database().write(KEY, "one");
        line.setAll(broken);
        assertThat(ended(() -> cache.get(KEY))).contains("one");
        assertThat(ended(() -> cache.get("absent"))).isEmpty();
        assertThat(ended(() -> cache.async().get(KEY).toCompletableFuture().join()))
            .contains("one");
        assertThat(ended(() -> cache.getAll(List.of(KEY, "absent")))).hasSize(1);
        assertThat(ended(() -> cache.refresh(KEY))).contains("one");
        assertThat(ended(() -> cache.getIfPresent(KEY))).isEmpty();
        if (!serial) {
          end(() -> cache.update(KEY, () -> {}));
        }
        end(() -> cache.put(KEY, "own"));
        end(() -> cache.invalidate(KEY));
        end(() -> cache.invalidateAll(List.of("a", "b")));
        int calls = line.calls();
        for (int i = 0; i < 30; i++) {
          assertThat(cache.get(KEY)).contains("one");
        }
        assertThat(line.calls() - calls).as("%s: calls in trouble", broken).isLessThan(10);
        assertThat(cache.stats().fallbackLoads()).isGreaterThan(30);
      }
    }
  }

  @Test
  default void c4_oneLoadOfAKeyAtATime() throws Exception {
    FlakyBackend line = line();
    GuardedCache<String, String> cache =
        GuardedCache.create(client(line), NAME, strict(), database()::load);
    database().write(KEY, "one");
    line.setAll(LOSES_REQUEST);
    database().hold();
    List<Running<Optional<String>>> readers = reading(20, List.of(cache), KEY);
    untilOneLoads();
    untilAllWait(readers);
    assertThat(database().running()).isEqualTo(1);
    database().letGo();
    for (Running<Optional<String>> reader : readers) {
      assertThat(reader.result()).contains("one");
    }
    assertThat(database().loads()).isLessThanOrEqualTo(3);
  }

  @Test
  default void c4_databaseGetsNoMoreThanTheFallbackLimit() {
    FlakyBackend line = line();
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(line), NAME, strict().fallback(Limit.fixedWindow(3, LONG)), database()::load);
    line.setAll(LOSES_REQUEST);
    for (int i = 0; i < 3; i++) {
      assertThat(cache.get("key " + i)).isEmpty();
    }
    for (int i = 3; i < 10; i++) {
      String key = "key " + i;
      assertThatThrownBy(() -> cache.get(key))
          .isInstanceOf(CacheLoadException.class)
          .hasMessageContaining(key)
          .hasMessageContaining("fallback");
    }
    assertThat(database().loads()).isEqualTo(3);
    assertThat(cache.stats().fallbackRejections()).isEqualTo(7);
    line.heal();
    within(
        "it is asked again",
        Duration.ofSeconds(3),
        () -> {
          try {
            return cache.get("key 4").isEmpty();
          } catch (CacheLoadException failure) {
            return false;
          }
        });
  }

  @Test
  default void c4_staleCopyIsServedInNeed() {
    FlakyBackend line = line();
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(line),
            NAME,
            strict()
                .deadline(PATIENT)
                .ttl(Duration.ofSeconds(2))
                .staleOnError(LONG)
                .near(100)
                .fallback(Limit.fixedWindow(1, LONG)),
            database()::load);
    database().write(KEY, "one");
    within(
        "there is a copy",
        Duration.ofSeconds(20),
        () -> cache.get(KEY).isPresent() && cache.stats().nearHits() > 0);
    line.setAll(LOSES_REQUEST);
    store().pass(Duration.ofSeconds(4));
    assertThat(cache.get("other")).isEmpty(); // spends the limit
    assertThat(cache.get(KEY)).contains("one");
    assertThat(cache.stats().stale()).isEqualTo(1);
  }

  @Test
  default void c4_strongRefusesToWrite() throws Exception {
    FlakyBackend line = line();
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(line), NAME, strict().consistency(Consistency.STRONG), database()::load);
    database().write(KEY, "one");
    line.setAll(LOSES_REQUEST);
    AtomicInteger writes = new AtomicInteger();
    assertThatThrownBy(() -> cache.update(KEY, () -> writes.incrementAndGet()))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining(KEY)
        .hasMessageContaining("not written");
    assertThatThrownBy(() -> cache.invalidate(KEY)).isInstanceOf(BackendException.class);
    assertThat(writes).hasValue(0);
    assertThat(cache.get(KEY)).as("reads go past the store").contains("one");
  }

  /** Its key must be in the filter first, or readers would find the new row absent. */
  @Test
  default void c4_updateWithoutItsFilterIsRefusedBeforeItWrites() {
    FlakyBackend line = line();
    Sluice client = client(line);
    BloomFilter<String> ids = client.bloomFilter(NAME, Funnel.utf8(), BloomSpec.of(100, 1e-6));
    ids.create();
    GuardedCache<String, String> cache =
        GuardedCache.create(client, NAME, settings().existsIn(ids), database()::load);
    cache.update(KEY, () -> database().write(KEY, "one"));
    assertThat(cache.get(KEY)).contains("one");
    AtomicInteger writes = new AtomicInteger();

    ids.delete();
    assertThatThrownBy(() -> cache.update("new", () -> writes.incrementAndGet()))
        .isInstanceOf(MissingDataException.class);
    database().write("other", "two");
    assertThat(cache.get("other")).as("reads go on without the filter").contains("two");

    ids.create();
    line.setAll(LOSES_REQUEST);
    assertThatThrownBy(() -> cache.update("new", () -> writes.incrementAndGet()))
        .isInstanceOf(BackendException.class);
    assertThat(writes).hasValue(0);
  }

  @Test
  default void c4_eventualWritesAndMakesUpForItLater() throws Exception {
    GuardedCache<String, String> other = cache();
    for (FlakyBackend.Fault broken : List.of(LOSES_REQUEST, HOLDS_REQUEST)) {
      FlakyBackend line = line();
      GuardedCache<String, String> cache =
          GuardedCache.create(client(line), NAME, strict(), database()::load);
      List<String> keys = List.of("updated", "invalidated", "put");
      keys.forEach(key -> database().write(key, "old"));
      keys.forEach(other::invalidate);
      keys.forEach(other::get);
      line.setAll(broken);
      end(() -> cache.update("updated", () -> database().write("updated", "new")));
      database().write("invalidated", "new");
      end(() -> cache.invalidate("invalidated"));
      database().write("put", "new");
      end(() -> cache.put("put", "new"));
      assertThat(cache.stats().pendingInvalidations()).isEqualTo(3);
      for (String key : keys) {
        assertThat(ended(() -> cache.get(key))).as(key).contains("new");
        assertThat(other.get(key)).as(key).contains("old");
      }
      store().pass(Duration.ofSeconds(3)); // the retries fail
      assertThat(cache.stats().pendingInvalidations()).isEqualTo(3);
      line.heal();
      within(
          "it is made up for",
          Duration.ofSeconds(5),
          () -> cache.stats().pendingInvalidations() == 0);
      for (String key : keys) {
        assertThat(other.get(key)).as(key).contains("new");
        within("reads", Duration.ofSeconds(3), () -> cache.getIfPresent(key).isPresent());
        assertThat(cache.get(key)).as(key).contains("new");
      }
    }
  }

  /** The store answers reads, but the invalidation failed. */
  @Test
  default void c4_whatIsNotConfirmedIsNotReadHere() {
    FlakyBackend line = line();
    GuardedCache<String, String> cache =
        GuardedCache.create(client(line), NAME, strict().deadline(PATIENT), database()::load);
    database().write(KEY, "old");
    cache.get(KEY);
    line.next(Verb.INVALIDATE, LOSES_REQUEST);
    database().write(KEY, "new");
    cache.invalidate(KEY);
    assertThat(stored(KEY)).isPresent();
    assertThat(cache.get(KEY)).contains("new");
    assertThat(cache.getIfPresent(KEY)).isEmpty();
    within(
        "it is repeated", Duration.ofSeconds(3), () -> cache.stats().pendingInvalidations() == 0);
    assertThat(cache().get(KEY)).contains("new");
  }

  @Test
  default void c4_storeThatComesBackFindsNoHerd() throws Exception {
    List<FlakyBackend> lines = new ArrayList<>();
    List<GuardedCache<String, String>> fleet = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      lines.add(line());
      fleet.add(
          GuardedCache.create(
              client(lines.get(i)), NAME, strict().deadline(PATIENT), database()::load));
    }
    database().write(KEY, "one");
    lines.forEach(line -> line.setAll(LOSES_REQUEST));
    for (int i = 0; i < 10; i++) {
      fleet.forEach(cache -> cache.get(KEY));
    }
    lines.forEach(FlakyBackend::heal);
    store().pass(Duration.ofMillis(1500));
    int before = database().loads();
    database().hold(); // a load takes longer than an answer of the store
    List<Running<Optional<String>>> readers = reading(16, fleet, KEY);
    untilAllWait(readers);
    database().letGo();
    for (Running<Optional<String>> reader : readers) {
      within("it ends", Duration.ofSeconds(3), () -> reader.future().isDone());
      assertThat(reader.result()).contains("one");
    }
    // in each process some may go past the store until its first answer has come
    assertThat(database().loads() - before).isLessThanOrEqualTo(1 + 3 * fleet.size());
    int recovered = database().loads();
    for (int i = 0; i < 10; i++) {
      fleet.forEach(cache -> assertThat(cache.get(KEY)).contains("one"));
    }
    // perhaps all of them went past the store, and the next one fills
    assertThat(database().loads()).isLessThanOrEqualTo(recovered + 1);
    assertThat(stored(KEY)).isPresent();
  }

  @Test
  default void c4_valueIsServedAlthoughItsFillIsLost() throws Exception {
    for (FlakyBackend.Fault broken : List.of(LOSES_REQUEST, HOLDS_REPLY)) {
      FlakyBackend line = line();
      GuardedCache<String, String> cache =
          GuardedCache.create(client(line), NAME, strict(), database()::load);
      cache.invalidate(KEY);
      database().write(KEY, "one");
      line.set(Verb.FILL, broken);
      assertThat(ended(() -> cache.get(KEY))).contains("one");
    }
  }

  @Test
  default void c4_waitingReaderGoesOnWithoutTheStore() throws Exception {
    database().hold();
    reading(cache(), KEY);
    untilOneLoads();
    FlakyBackend line = line();
    GuardedCache<String, String> cache =
        GuardedCache.create(client(line), NAME, strict(), key -> "past it");
    Running<Optional<String>> waits = reading(cache, KEY);
    untilAllWait(List.of(waits));
    line.setAll(HOLDS_REQUEST);
    within("it gives up", Duration.ofSeconds(3), () -> waits.future().isDone());
    assertThat(waits.result()).contains("past it");
  }

  @Test
  default void c4_oneLineOfLogASecond() {
    ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            lines.add(record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("dev.sluice.cache");
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
    try {
      FlakyBackend line = line();
      GuardedCache<String, String> cache =
          GuardedCache.create(client(line), NAME, strict().near(10), database()::load);
      line.setAll(LOSES_REQUEST);
      long start = store().nanos();
      for (int i = 0; i < 100; i++) {
        cache.get("key " + i);
        cache.invalidate("key " + i);
      }
      store().pass(Duration.ofSeconds(2));
      cache.get(KEY);
      long seconds = (store().nanos() - start) / 1_000_000_000;
      assertThat(lines).hasSizeBetween(2, 2 + (int) seconds);
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
  }
}
