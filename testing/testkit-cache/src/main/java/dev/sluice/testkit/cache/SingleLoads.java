package dev.sluice.testkit.cache;

import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.GuardedCache;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests of single loads: many readers of a missing value, one load across all processes.
 *
 * @since 0.1
 */
public interface SingleLoads extends CacheContract {

  /** A lease is extended after a third, so two thirds are longer than a machine stands still. */
  Duration LEASE = Duration.ofSeconds(5);

  private List<GuardedCache<String, String>> fleet(int processes) {
    return Stream.generate(this::cache).limit(processes).toList();
  }

  private void assertAllGot(List<Running<Optional<String>>> readers, String value)
      throws Exception {
    for (Running<Optional<String>> reader : readers) {
      assertThat(reader.result()).contains(value);
    }
  }

  /** While time stands still, no reader polls; a message wakes readers. */
  @Test
  default void c1_oneLoadForTheFleetAtEachExpiry() throws Exception {
    Duration ttl = Duration.ofSeconds(4); // longer than a machine stands still
    List<GuardedCache<String, String>> fleet =
        Stream.generate(
                () -> GuardedCache.create(client(), NAME, settings().ttl(ttl), database()::load))
            .limit(4)
            .toList();
    for (int expiry = 1; expiry <= 3; expiry++) {
      if (expiry > 1) {
        store().pass(ttl.plus(SHORT));
      }
      database().write(KEY, "value " + expiry);
      database().hold();
      List<Running<Optional<String>>> readers = reading(16, fleet, KEY);
      untilOneLoads();
      untilAllWait(readers);
      database().letGo();
      until("all complete", () -> readers.stream().allMatch(reader -> reader.future().isDone()));
      assertAllGot(readers, "value " + expiry);
      assertThat(database().loads()).isEqualTo(expiry);
    }
  }

  @Test
  default void c1_oneLoadAlsoWhenAbsent() throws Exception {
    database().hold();
    List<Running<Optional<String>>> readers = reading(8, fleet(2), KEY);
    untilOneLoads();
    untilAllWait(readers);
    database().letGo();
    for (Running<Optional<String>> reader : readers) {
      assertThat(reader.result()).isEmpty();
    }
    assertThat(database().loads()).isEqualTo(1);
  }

  @Test
  default void c1_callsThatBlockAndThoseThatDoNotShareOneLoad() throws Exception {
    database().write(KEY, "one");
    database().hold();
    List<GuardedCache<String, String>> fleet = fleet(2);
    List<CompletableFuture<Optional<String>>> stages = new ArrayList<>();
    List<Running<Optional<String>>> readers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      fleet.forEach(cache -> stages.add(cache.async().get(KEY).toCompletableFuture()));
      readers.addAll(reading(1, fleet, KEY));
    }
    untilOneLoads();
    untilAllWait(readers);
    assertThat(stages).noneMatch(CompletableFuture::isDone);
    database().letGo();
    assertAllGot(readers, "one");
    for (CompletableFuture<Optional<String>> stage : stages) {
      until("it completes", stage::isDone);
      assertThat(stage.join()).contains("one");
    }
    assertThat(database().loads()).isEqualTo(1);
  }

  @Test
  default void c1_readersOfOtherKeysDoNotWait() throws Exception {
    database().write(KEY, "one");
    database().hold();
    Running<Optional<String>> held = reading(cache(), KEY);
    untilOneLoads();
    GuardedCache<String, String> cache = cache();
    for (int i = 0; i < 50; i++) {
      assertThat(cache.get("other " + i, key -> "quick")).contains("quick");
    }
    database().letGo();
    assertThat(held.result()).contains("one");
  }

  @Test
  default void c1_readersAskAgainWhenMessagesAreLost() throws Exception {
    database().write(KEY, "one");
    database().hold();
    FlakyBackend deaf = line().losesMessages(true);
    GuardedCache<String, String> waiting = cache(client(deaf));
    Running<Optional<String>> first = reading(cache(), KEY);
    untilOneLoads();
    Running<Optional<String>> second = reading(waiting, KEY);
    until("it has asked", () -> deaf.calls(Verb.BEGIN) >= 1);
    database().letGo();
    assertThat(first.result()).contains("one");
    within("it has asked again", Duration.ofSeconds(1), () -> second.future().isDone());
    assertThat(second.result()).contains("one");
    assertThat(database().loads()).isEqualTo(1);
  }

  @Test
  default void c1_loaderThatDiesCostsItsLeaseAtMost() throws Exception {
    database().write(KEY, "one");
    database().hold();
    FlakyBackend dying = line();
    GuardedCache<String, String> dead =
        GuardedCache.create(client(dying), NAME, settings().fillLease(LEASE), database()::load);
    GuardedCache<String, String> other =
        GuardedCache.create(client(), NAME, settings().fillLease(LEASE), key -> "next");
    reading(dead, KEY);
    untilOneLoads();
    dying.die();
    Running<Optional<String>> next = reading(other, KEY);
    untilAllWait(List.of(next));
    assertThat(next.future().isDone()).isFalse();
    within("the lease is over", LEASE.plusMillis(500), () -> next.future().isDone());
    assertThat(next.result()).contains("next");
    database().letGo(); // and the dead one comes back
    dying.heal();
    assertThat(cache().get(KEY)).contains("next");
    assertThat(database().loads()).isEqualTo(1);
  }

  @Test
  default void c1_leaseIsKeptAsLongAsALoadTakes() throws Exception {
    database().write(KEY, "one");
    database().hold();
    GuardedCache<String, String> slow =
        GuardedCache.create(client(), NAME, settings().fillLease(LEASE), database()::load);
    GuardedCache<String, String> other =
        GuardedCache.create(client(), NAME, settings().fillLease(LEASE), database()::load);
    List<Running<Optional<String>>> readers = reading(1, List.of(slow, other), KEY);
    untilOneLoads();
    for (int i = 0; i < 3; i++) { // so the load takes longer than the lease
      store().pass(LEASE.dividedBy(2));
    }
    database().letGo();
    for (Running<Optional<String>> reader : readers) {
      within("it completes", Duration.ofSeconds(1), () -> reader.future().isDone());
    }
    assertAllGot(readers, "one");
    assertThat(database().loads()).isEqualTo(1);
    assertThat(stored(KEY)).isPresent();
  }

  @Test
  default void c1_nobodyLoadsWhileALeaseGoesUnanswered() throws Exception {
    FlakyBackend line = line();
    GuardedCache<String, String> cache = cache(client(line));
    cache.getIfPresent("warm");
    line.next(Verb.BEGIN, LOSES_REQUEST);
    database().write(KEY, "one");
    assertThat(cache.get(KEY)).contains("one"); // past the store
    assertThat(cache.get(KEY)).contains("one");
    assertThat(cache.get(KEY)).contains("one");
    assertThat(database().loads()).isEqualTo(2);
  }

  @Test
  default void c1_everyReaderGetsTheVeryExceptionOfTheLoader() throws Exception {
    RuntimeException thrown = new IllegalStateException("no database");
    database().failWith(thrown);
    database().hold();
    GuardedCache<String, String> cache = cache();
    List<Running<Optional<String>>> readers = new ArrayList<>(List.of(reading(cache, KEY)));
    untilOneLoads(); // who comes before may need a load of his own
    readers.addAll(reading(3, List.of(cache), KEY));
    until("all have looked in the store", () -> cache.stats().misses() == readers.size());
    untilAllWait(readers);
    cache.getIfPresent("behind them"); // over the same connection: all have joined
    database().letGo();
    for (Running<Optional<String>> reader : readers) {
      assertThatThrownBy(reader::result).isInstanceOf(ExecutionException.class).hasCause(thrown);
    }
    assertThat(database().loads()).isEqualTo(1);
    assertThat(cache.stats().loadFailures()).isEqualTo(1);
    CompletableFuture<Optional<String>> stage = cache.async().get(KEY).toCompletableFuture();
    until("it completes", stage::isDone);
    assertThatThrownBy(stage::join).hasCause(thrown);
    database().failWith(null);
    database().write(KEY, "one");
    assertThat(cache().get(KEY)).contains("one"); // without a wait: the lease was released
  }

  @Test
  default void c1_failedLoadIsTakenOverByAnotherProcess() throws Exception {
    database().failWith(new IllegalStateException("no database"));
    database().hold();
    Running<Optional<String>> fails = reading(cache(), KEY);
    untilOneLoads();
    Running<Optional<String>> waits = start(() -> cache().get(KEY, key -> "mine"));
    untilAllWait(List.of(waits));
    database().letGo();
    assertThatThrownBy(fails::result).hasRootCauseMessage("no database");
    assertThat(waits.result()).contains("mine");
  }

  @Test
  default void c1_interruptedReaderLeavesAndTheOthersStay() throws Exception {
    database().write(KEY, "one");
    database().hold();
    GuardedCache<String, String> cache = cache();
    Running<Optional<String>> leader = reading(cache(), KEY);
    untilOneLoads();
    Running<Boolean> interrupted =
        start(
            () -> {
              assertThatThrownBy(() -> cache.get(KEY))
                  .isInstanceOf(SluiceException.class)
                  .hasMessageContaining("interrupted")
                  .hasMessageContaining(KEY);
              return Thread.currentThread().isInterrupted();
            });
    untilAllWait(List.of(interrupted));
    Running<Optional<String>> patient = reading(cache, KEY);
    untilAllWait(List.of(patient));
    interrupted.thread().interrupt();
    assertThat(interrupted.result()).as("it stays interrupted").isTrue();
    database().letGo();
    assertThat(leader.result()).contains("one");
    assertThat(patient.result()).contains("one");
    assertThat(database().loads()).isEqualTo(1);
  }

  @Test
  default void c1_interruptedLeaderFailsAloneAndAnotherLeads() throws Exception {
    database().write(KEY, "one");
    database().hold();
    GuardedCache<String, String> cache = cache();
    Running<Optional<String>> leader = reading(cache, KEY);
    untilOneLoads();
    List<Running<Optional<String>>> others = reading(3, List.of(cache), KEY);
    untilAllWait(others);
    leader.thread().interrupt(); // in the middle of its load
    until("another loads", () -> database().loads() == 2);
    assertThatThrownBy(leader::result).hasMessageContaining("interrupted");
    database().letGo();
    assertAllGot(others, "one");
    assertThat(database().loads()).isEqualTo(2);
  }

  @Test
  default void c1_readerThatGaveUpIsReplaced() throws Exception {
    database().write(KEY, "one");
    database().hold();
    FlakyBackend line = line();
    GuardedCache<String, String> cache = cache(client(line));
    Running<Optional<String>> other = reading(cache(), KEY);
    untilOneLoads();
    Running<Optional<String>> first = reading(cache, KEY); // would lead in its process
    until("it has asked", () -> line.calls(Verb.BEGIN) >= 1);
    untilAllWait(List.of(first));
    Running<Optional<String>> second = start(() -> cache.get(KEY, key -> "second"));
    untilAllWait(List.of(second));
    first.thread().interrupt();
    assertThatThrownBy(first::result).hasMessageContaining("interrupted");
    database().failWith(new IllegalStateException("no database"));
    database().letGo();
    assertThatThrownBy(other::result).hasRootCauseMessage("no database");
    assertThat(second.result()).contains("second");
    assertThat(database().loads()).as("no load runs for readers that left").isEqualTo(1);
  }

  private static void pause(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  default void c1_readersDoNotWaitForALoadWhoseLeaseHasEnded() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger loads = new AtomicInteger();
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(),
            NAME,
            settings().fillLease(LEASE),
            key -> {
              int load = loads.incrementAndGet();
              if (load == 1) {
                pause(end);
              }
              return "load " + load;
            });
    try {
      Running<Optional<String>> leader = reading(cache, KEY);
      until("it loads", () -> loads.get() == 1);
      Running<Optional<String>> other = reading(cache, KEY);
      untilAllWait(List.of(other));
      cache().invalidate(KEY); // in another process: this one notices at its next renewal
      within("it is sent on", PATIENT, () -> other.future().isDone());
      assertThat(other.result()).contains("load 2");
      assertThat(leader.future()).isNotDone();
      end.countDown();
      assertThat(leader.result()).contains("load 1");
      assertThat(cache.get(KEY)).contains("load 2");
    } finally {
      end.countDown();
    }
  }

  @Test
  default void c1_loadersThatAskForEachOthersKeysFailWhenTheirLeasesEnd() {
    CountDownLatch both = new CountDownLatch(2);
    CompletableFuture<GuardedCache<String, String>> self = new CompletableFuture<>();
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(),
            NAME,
            settings().fillLease(LEASE),
            key -> {
              both.countDown();
              pause(both);
              return self.join().get(key.equals("a") ? "b" : "a").orElseThrow();
            });
    self.complete(cache);
    List<Running<Optional<String>>> readers = List.of(reading(cache, "a"), reading(cache, "b"));
    until("both load", () -> both.getCount() == 0);
    untilAllWait(readers);
    cache().invalidateAll(List.of("a", "b"));
    within(
        "the circle ends",
        PATIENT,
        () -> readers.stream().allMatch(reader -> reader.future().isDone()));
    for (Running<Optional<String>> reader : readers) {
      assertThatThrownBy(reader::result).hasStackTraceContaining("asked for the same key");
    }
  }

  /** Its turn ends a lease after the time in which it keeps others away. */
  @Test
  default void c1_serialLoadThatHangsIsNotWaitedForEver() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    CompletableFuture<Void> hangs = new CompletableFuture<>();
    Duration time = Duration.ofSeconds(1);
    CacheOptions<String, String> serial = settings().serial().fillLease(time);
    GuardedCache<String, String> hanging =
        GuardedCache.create(
            client(),
            NAME,
            serial.hardTimeout(time),
            key -> {
              hangs.complete(null);
              pause(end);
              return "late";
            });
    GuardedCache<String, String> other = GuardedCache.create(client(), NAME, serial, key -> "next");
    try {
      reading(hanging, KEY);
      until("it loads", hangs::isDone);
      Running<Optional<String>> next = reading(other, KEY);
      within("the turn is over", PATIENT, () -> next.future().isDone());
      assertThat(next.result()).contains("next");
    } finally {
      end.countDown();
    }
  }

  @Test
  default void c1_closingEndsEveryWait() throws Exception {
    database().hold();
    Running<Optional<String>> other = reading(cache(), KEY);
    untilOneLoads();
    Sluice closing = client();
    GuardedCache<String, String> cache = cache(closing);
    List<Running<Optional<String>>> readers = reading(4, List.of(cache), KEY);
    CompletableFuture<Optional<String>> stage = cache.async().get(KEY).toCompletableFuture();
    untilAllWait(readers);
    closing.close();
    for (Running<Optional<String>> reader : readers) {
      assertThatThrownBy(reader::result)
          .hasCauseInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    }
    until("it completes", stage::isDone);
    assertThatThrownBy(stage::join).hasMessageContaining("closed");
    assertThatThrownBy(() -> cache.get(KEY)).hasMessageContaining("closed");
    assertThatThrownBy(() -> cache.put(KEY, "x")).hasMessageContaining("closed");
    assertThatThrownBy(() -> cache.invalidate(KEY)).hasMessageContaining("closed");
    assertThatThrownBy(cache::clear).hasMessageContaining("closed");
    assertThatThrownBy(() -> cache(closing)).hasMessageContaining("closed");
    database().letGo();
    other.result();
  }

  /** Readers of a load that an invalidation cut off are no longer found by key. */
  @Test
  default void c1_closingEndsWaitsForALoadThatIsCutOff() throws Exception {
    database().hold();
    Sluice closing = client();
    GuardedCache<String, String> cache = cache(closing);
    CompletableFuture<Optional<String>> leader = cache.async().get(KEY).toCompletableFuture();
    untilOneLoads();
    List<CompletableFuture<Optional<String>>> joined = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      joined.add(cache.async().get(KEY).toCompletableFuture());
    }
    cache.invalidate(KEY);
    closing.close();
    for (CompletableFuture<Optional<String>> reader : joined) {
      until("it completes", reader::isDone);
      assertThatThrownBy(reader::join).hasMessageContaining("closed");
    }
    until("it completes", leader::isDone);
  }

  @Test
  default void c1_batchesThatOverlapLoadEachKeyOnce() throws Exception {
    Map.of("a", "1", "b", "2", "c", "3").forEach(database()::write);
    GuardedCache<String, String> one =
        GuardedCache.create(
            client(), NAME, settings().bulkLoader(database()::loadAll), database()::load);
    GuardedCache<String, String> two =
        GuardedCache.create(
            client(), NAME, settings().bulkLoader(database()::loadAll), database()::load);
    database().hold();
    Running<Map<String, String>> first = start(() -> one.getAll(List.of("a", "b")));
    untilOneLoads();
    Running<Map<String, String>> second = start(() -> two.getAll(List.of("b", "c")));
    until("both load", () -> database().running() == 2);
    database().letGo();
    assertThat(first.result()).isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(second.result()).isEqualTo(Map.of("b", "2", "c", "3"));
    assertThat(database().batches()).containsExactly(Set.of("a", "b"), Set.of("c"));
  }

  @Test
  default void c1_batchThatFailsIsTakenOver() throws Exception {
    GuardedCache<String, String> one =
        GuardedCache.create(
            client(), NAME, settings().bulkLoader(database()::loadAll), database()::load);
    database().failWith(new IllegalStateException("no database"));
    database().hold();
    Running<Map<String, String>> fails = start(() -> one.getAll(List.of("a", "b")));
    untilOneLoads();
    GuardedCache<String, String> two =
        GuardedCache.create(client(), NAME, settings(), key -> "mine");
    Running<Map<String, String>> waits = start(() -> two.getAll(List.of("a", "b")));
    untilAllWait(List.of(waits));
    database().letGo();
    assertThatThrownBy(fails::result).hasRootCauseMessage("no database");
    assertThat(waits.result()).isEqualTo(Map.of("a", "mine", "b", "mine"));
    assertThat(one.getAll(List.of("a", "b"))).hasSize(2);
  }

  @Test
  default void c1_badKeyInABatchLeavesNoLeaseBehind() {
    database().write("a", "1");
    GuardedCache<String, String> cache = cache();
    assertThatThrownBy(() -> cache.getAll(List.of("a", "")))
        .isInstanceOf(IllegalArgumentException.class);
    Running<Optional<String>> next = reading(cache(), "a");
    until("the lease is free", () -> next.future().isDone());
    assertThat(database().loads()).isEqualTo(1);
  }
}
