package dev.sluice.testkit.cache;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.cache.Consistency;
import dev.sluice.cache.GuardedCache;
import dev.sluice.spi.Backend;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Tests of writes during loads: a value that was read before a write is never cached after it.
 *
 * @since 0.1
 */
public interface WritesDuringLoads extends CacheContract {

  /** A lease is extended after a third, so two thirds are longer than a machine stands still. */
  Duration INTENT = Duration.ofSeconds(5);

  private GuardedCache<String, String> strong(Sluice client) {
    return GuardedCache.create(
        client, NAME, settings().consistency(Consistency.STRONG), database()::load);
  }

  /** Tests a load that reads the old row and ends after a write. */
  private void assertOldNeverLands(Consumer<GuardedCache<String, String>> write, String value)
      throws Exception {
    for (boolean strong : List.of(false, true)) {
      for (boolean sameProcess : List.of(true, false)) {
        Sluice client = client();
        GuardedCache<String, String> reading = strong ? strong(client) : cache(client);
        GuardedCache<String, String> writing =
            sameProcess ? reading : strong ? strong(client()) : cache();
        reading.invalidate(KEY);
        database().write(KEY, "old");
        database().hold();
        Running<Optional<String>> before = reading(reading, KEY);
        untilOneLoads();
        database().write(KEY, "new");
        write.accept(writing);
        Running<Optional<String>> after = reading(reading, KEY);
        if (!after.future().isDone()) {
          untilAllWait(List.of(after));
        }
        database().letGo();
        before.result(); // it asked before the write was over: either value will do
        within("it completes", Duration.ofSeconds(2), () -> after.future().isDone());
        assertThat(after.result())
            .as("strong %s, same process %s", strong, sameProcess)
            .contains(strong && value.equals("own") ? "new" : value);
        assertThat(reading.get(KEY)).isEqualTo(after.result());
        assertThat(writing.get(KEY)).isEqualTo(after.result());
      }
    }
  }

  /** FusionCache#535, #613, #625, #628; Guava#1881. */
  @Test
  default void c2_invalidationDuringALoadIsNotLost() throws Exception {
    assertOldNeverLands(cache -> cache.invalidate(KEY), "new");
  }

  @Test
  default void c2_invalidationOfManyDuringALoadIsNotLost() throws Exception {
    assertOldNeverLands(cache -> cache.invalidateAll(List.of("other", KEY)), "new");
  }

  /** Tests Guava#1881, where invalidateAll does not affect loads under way. */
  @Test
  default void c2_clearDuringALoadIsNotLost() throws Exception {
    assertOldNeverLands(GuardedCache::clear, "new");
  }

  @Test
  default void c2_updateDuringALoadIsNotLost() throws Exception {
    assertOldNeverLands(cache -> cache.update(KEY, () -> {}), "new");
  }

  @Test
  default void c2_updateWithoutBlockingDuringALoadIsNotLost() throws Exception {
    assertOldNeverLands(
        cache ->
            cache
                .async()
                .<Integer>update(KEY, () -> CompletableFuture.completedFuture(1))
                .toCompletableFuture()
                .join(),
        "new");
  }

  /** Tests FusionCache#628, where the result of a factory overwrites a later put. */
  @Test
  default void c2_putDuringALoadIsNotLost() throws Exception {
    assertOldNeverLands(cache -> cache.put(KEY, "own"), "own");
  }

  @Test
  default void c2_updateThatThrowsDropsTheValueToo() throws Exception {
    assertOldNeverLands(
        cache ->
            assertThatThrownBy(
                    () ->
                        cache.update(
                            KEY,
                            () -> {
                              throw new IllegalStateException("after the commit");
                            }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("after the commit"),
        "new");
  }

  @Test
  default void c2_updateWithoutBlockingThatFailsDropsTheValueToo() throws Exception {
    assertOldNeverLands(
        cache ->
            assertThatThrownBy(
                    () ->
                        cache
                            .async()
                            .update(
                                KEY,
                                () -> {
                                  throw new AssertionError("after the commit");
                                })
                            .toCompletableFuture()
                            .join())
                .hasRootCauseMessage("after the commit"),
        "new");
  }

  /** Tests FusionCache#535 for early refreshes. */
  @Test
  default void c2_invalidationDuringARefreshIsNotLost() throws Exception {
    GuardedCache<String, String> cache = cache();
    cache.put(KEY, "older");
    database().write(KEY, "old");
    database().hold();
    Running<Optional<String>> refresh = start(() -> cache.refresh(KEY));
    untilOneLoads();
    database().write(KEY, "new");
    cache().invalidate(KEY);
    database().letGo();
    refresh.result();
    assertThat(cache.get(KEY)).contains("new");
  }

  /** Tests FusionCache#613 for tags. */
  @Test
  default void c2_tagDroppedDuringALoadIsNotLost() throws Exception {
    GuardedCache<String, String> reading =
        GuardedCache.create(
            client(), NAME, settings().tags((key, value) -> List.of("all")), database()::load);
    GuardedCache<String, String> writing =
        GuardedCache.create(
            client(), NAME, settings().tags((key, value) -> List.of("all")), database()::load);
    database().write(KEY, "old");
    database().hold();
    Running<Optional<String>> before = reading(reading, KEY);
    untilOneLoads();
    database().write(KEY, "new");
    writing.invalidateTag("all");
    Running<Optional<String>> after = reading(reading, KEY);
    untilAllWait(List.of(after));
    database().letGo();
    before.result();
    assertThat(after.result()).as("it asked after the tag was dropped").contains("new");
    assertThat(writing.get(KEY)).contains("new");
    assertThat(reading.get(KEY)).contains("new");
  }

  @Test
  default void c2_invalidationDuringABulkLoadIsNotLost() throws Exception {
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(), NAME, settings().bulkLoader(database()::loadAll), database()::load);
    Map.of("a", "old", "b", "old").forEach(database()::write);
    database().hold();
    Running<Map<String, String>> many = start(() -> cache.getAll(List.of("a", "b")));
    untilOneLoads();
    database().write("a", "new");
    cache().invalidate("a");
    database().letGo();
    many.result();
    assertThat(cache.get("a")).contains("new");
    assertThat(cache.get("b")).contains("old");
    assertThat(database().loads("b")).isZero();
  }

  @Test
  default void c2_nobodyJoinsALoadFromBeforeAnInvalidation() throws Exception {
    GuardedCache<String, String> cache = cache();
    database().write(KEY, "old");
    database().hold();
    Running<Optional<String>> before = reading(cache, KEY);
    untilOneLoads();
    database().write(KEY, "new");
    cache.invalidate(KEY);
    assertThat(start(() -> cache.get(KEY, key -> "new")).result())
        .as("it does not wait for the old load")
        .contains("new");
    database().letGo();
    before.result();
    assertThat(database().loads()).isEqualTo(1);
  }

  @Test
  default void c2_nothingIsStoredWhileAWriteIsAnnounced() throws Exception {
    GuardedCache<String, String> cache = cache();
    GuardedCache<String, String> other = cache();
    database().write(KEY, "old");
    cache.get(KEY);
    cache.update(
        KEY,
        () -> {
          assertThat(other.get(KEY)).contains("old");
          assertThat(other.getIfPresent(KEY)).isEmpty();
          other.put(KEY, "own");
          assertThat(other.getIfPresent(KEY)).isEmpty();
          database().write(KEY, "new");
          assertThat(other.get(KEY)).contains("new");
        });
    assertThat(stored(KEY)).isEmpty();
    assertThat(other.get(KEY)).contains("new");
    assertThat(stored(KEY)).isPresent();
  }

  @Test
  default void c2_whoBeganBeforeAWriteWasAnnouncedStoresNothing() throws Exception {
    database().write(KEY, "old");
    database().hold();
    Running<Optional<String>> before = reading(cache(), KEY);
    untilOneLoads();
    cache()
        .update(
            KEY,
            () -> {
              database().letGo();
              until("it completes", () -> before.future().isDone());
              assertThat(stored(KEY)).isEmpty();
            });
  }

  @Test
  default void c2_slowWriteStaysAnnounced() throws Exception {
    GuardedCache<String, String> cache =
        GuardedCache.create(client(), NAME, settings().intent(INTENT), database()::load);
    GuardedCache<String, String> other = cache();
    Backend direct = store().connect();
    database().write(KEY, "old");
    cache.update(
        KEY,
        () -> {
          for (int i = 0; i < 3; i++) { // so the write takes longer than the intent
            store().pass(INTENT.dividedBy(2));
            assertThat(other.get(KEY)).contains("old");
            assertThat(stored(direct, KEY)).isEmpty();
          }
          database().write(KEY, "new");
        });
    assertThat(other.get(KEY)).contains("new");
  }

  @Test
  default void c2_writerThatDiesKeepsNothingFromBeingCachedForLong() throws Exception {
    FlakyBackend dying = line();
    GuardedCache<String, String> cache =
        GuardedCache.create(client(dying), NAME, settings().intent(INTENT), database()::load);
    GuardedCache<String, String> other = cache();
    Backend direct = store().connect();
    database().write(KEY, "old");
    other.get(KEY);
    start(
        () ->
            cache
                .async()
                .update(
                    KEY,
                    () -> {
                      database().write(KEY, "new");
                      dying.die();
                      return new CompletableFuture<String>();
                    })
                .toCompletableFuture());
    until(
        "it has died",
        () -> dying.calls(Verb.INTEND) >= 1 && !other.get(KEY).equals(Optional.of("old")));
    assertThat(other.get(KEY)).contains("new");
    assertThat(stored(direct, KEY)).isEmpty();
    within(
        "it is cached again",
        INTENT.plusMillis(500),
        () -> other.get(KEY).isPresent() && stored(direct, KEY).isPresent());
    assertThat(other.get(KEY)).contains("new");
  }

  /** A reply from before the loss proves nothing. */
  @Test
  default void c2_strongUpdateWhoseAnnouncementWasLostIsUnknownUnlessItsEndArrives() {
    for (boolean all : List.of(false, true)) {
      FlakyBackend line = line();
      GuardedCache<String, String> cache = strong(client(line));
      GuardedCache<String, String> other = strong(client());
      database().write(KEY, "old");
      assertThatThrownBy(
              () ->
                  cache.update(
                      KEY,
                      () -> {
                        store().loseData();
                        other.get(KEY);
                        assertThat(stored(KEY)).isPresent();
                        database().write(KEY, "new");
                        if (all) {
                          line.setAll(LOSES_REQUEST);
                        } else {
                          line.next(Verb.INVALIDATE, LOSES_REQUEST);
                        }
                      }))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("an older value may still be served");
      line.heal();
      within("it is dropped", INTENT, () -> cache.stats().pendingInvalidations() == 0);
      assertThat(other.get(KEY)).contains("new");
    }
  }

  @Test
  default void c2_strongUpdateIsOverWhereItsAnnouncementStoodAndItsEndIsLost() {
    FlakyBackend line = line();
    GuardedCache<String, String> cache = strong(client(line));
    GuardedCache<String, String> other = strong(client());
    database().write(KEY, "old");
    cache.update(
        KEY,
        () -> {
          assertThat(other.get(KEY)).contains("old");
          database().write(KEY, "new");
          line.next(Verb.INVALIDATE, LOSES_REQUEST);
        });
    assertThat(other.get(KEY)).contains("new");
    assertThat(cache.get(KEY)).contains("new");
  }

  @Test
  default void c1_serialReadInsideItsOwnUpdateReadsTheDatabase() throws Exception {
    GuardedCache<String, String> cache =
        GuardedCache.create(client(), NAME, settings().serial(), database()::load);
    database().write(KEY, "old");
    Running<String> update =
        start(
            () ->
                cache.update(
                    KEY,
                    () -> {
                      String before = cache.get(KEY).orElseThrow();
                      database().write(KEY, "new");
                      return before + ", then " + cache.get(KEY).orElseThrow();
                    }));
    until("it has waited for no turn", () -> update.future().isDone());
    assertThat(update.result()).isEqualTo("old, then new");
    assertThat(cache.get(KEY)).contains("new");
  }

  /** Its exclusive write ends with its fill lease, and not with a lock lease of 30 s. */
  @Test
  default void c1_serialProcessThatDiesInItsTurnCostsItsFillLease() {
    FlakyBackend dying = line();
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(dying), NAME, settings().serial().intent(INTENT), database()::load);
    GuardedCache<String, String> other =
        GuardedCache.create(client(), NAME, settings().serial(), database()::load);
    database().write(KEY, "old");
    CompletableFuture<String> running =
        cache
            .async()
            .update(
                KEY,
                () -> {
                  dying.die();
                  return new CompletableFuture<String>();
                })
            .toCompletableFuture();
    until("it writes", () -> dying.calls(Verb.INTEND) > 0);
    CompletableFuture<String> next =
        other
            .async()
            .update(KEY, () -> CompletableFuture.completedFuture("done"))
            .toCompletableFuture();
    within("the turn of the dead is over", Duration.ofSeconds(20), next::isDone);
    assertThat(next.join()).isEqualTo("done");
    assertThat(running).isNotDone();
  }

  @Test
  default void c2_writersAtOnceAreAllWaitedFor() throws Exception {
    GuardedCache<String, String> one = cache();
    GuardedCache<String, String> two = cache();
    CompletableFuture<String> first = new CompletableFuture<>();
    CompletableFuture<String> second = new CompletableFuture<>();
    AtomicInteger writing = new AtomicInteger();
    CompletableFuture<String> firstDone =
        one.async()
            .update(
                KEY,
                () -> {
                  writing.incrementAndGet();
                  return first;
                })
            .toCompletableFuture();
    CompletableFuture<String> secondDone =
        two.async()
            .update(
                KEY,
                () -> {
                  writing.incrementAndGet();
                  return second;
                })
            .toCompletableFuture();
    until("both are announced", () -> writing.get() == 2);
    GuardedCache<String, String> reader = cache();
    database().write(KEY, "one");
    first.complete("done");
    assertThat(firstDone.join()).isEqualTo("done");
    assertThat(reader.get(KEY)).contains("one");
    assertThat(stored(KEY)).as("another writes").isEmpty();
    database().write(KEY, "two");
    second.complete("done");
    assertThat(secondDone.join()).isEqualTo("done");
    assertThat(reader.get(KEY)).contains("two");
    assertThat(stored(KEY)).isPresent();
  }

  /** The fill arrives after the invalidation, although it was sent before. */
  @Test
  default void c2_fillThatWasDelayedIsRefused() throws Exception {
    FlakyBackend line = line();
    GuardedCache<String, String> slow = cache(client(line));
    database().write(KEY, "old");
    line.next(Verb.FILL, HOLDS_REQUEST);
    Running<Optional<String>> reader = reading(slow, KEY);
    until("the fill is under way", () -> line.heldCalls() == 1);
    database().write(KEY, "new");
    cache().invalidate(KEY);
    assertThat(cache().get(KEY)).contains("new");
    line.takeHeld().deliver();
    assertThat(reader.result()).contains("old");
    assertThat(cache().get(KEY)).contains("new");
    assertThat(slow.get(KEY)).contains("new");
    assertThat(slow.stats().fillsRefused()).isEqualTo(1);
  }

  @Test
  default void c2_readsAndWritesOfAKeyMayQueue() throws Exception {
    GuardedCache<String, String> cache =
        GuardedCache.create(client(), NAME, settings().serial(), database()::load);
    GuardedCache<String, String> other =
        GuardedCache.create(client(), NAME, settings().serial(), database()::load);
    database().write(KEY, "old");
    database().hold();
    Running<Optional<String>> load = reading(cache, KEY);
    untilOneLoads();
    Running<Boolean> write =
        start(
            () -> {
              other.update(
                  KEY,
                  () -> {
                    assertThat(database().running()).as("loads under way").isZero();
                    database().write(KEY, "new");
                  });
              return true;
            });
    untilAllWait(List.of(write));
    assertThat(write.future().isDone()).isFalse();
    database().letGo();
    load.result();
    write.result();
    assertThat(other.get(KEY)).contains("new");
    assertThat(cache.get(KEY)).contains("new");
  }
}
