package dev.sluice.testkit.cache;

import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REPLY;
import static dev.sluice.testkit.FlakyBackend.Fault.HOLDS_REQUEST;
import static dev.sluice.testkit.FlakyBackend.Fault.LOSES_REQUEST;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cache.GuardedCache;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Tests of copies in each process: fast, and never older than promised.
 *
 * @since 0.1
 */
public interface NearCopies extends CacheContract {
  Duration BOUND = Duration.ofSeconds(1);

  private GuardedCache<String, String> near(FlakyBackend line) {
    return GuardedCache.create(
        client(line),
        NAME,
        settings()
            .near(1_000)
            .nearTtl(LONG)
            .nearStaleness(BOUND)
            .tags((key, value) -> key.equals("tagged") ? List.of("tag") : List.of()),
        database()::load);
  }

  private GuardedCache<String, String> near() {
    return near(line());
  }

  /** Waits until reads of a key are served by a copy. */
  private void copied(GuardedCache<String, String> cache, String key) {
    within(
        "there is a copy",
        Duration.ofSeconds(5),
        () -> {
          long before = cache.stats().nearHits();
          cache.get(key);
          return cache.stats().nearHits() > before;
        });
  }

  private void assertSeen(GuardedCache<String, String> cache, String key, String value) {
    within(
        value + " is seen", BOUND.plusMillis(100), () -> cache.get(key).equals(Optional.of(value)));
  }

  @Test
  default void copyCostsNoCall() {
    FlakyBackend line = line();
    GuardedCache<String, String> cache = near(line);
    database().write(KEY, "one");
    long copies = 0;
    int reads = 0;
    // a copy is not used where the machine stood still, until the store was asked what was dropped
    for (int tries = 0; tries < 3 && copies <= 90; tries++) {
      copied(cache, KEY);
      int readsBefore = line.calls(Verb.READ);
      long before = cache.stats().nearHits();
      for (int i = 0; i < 50; i++) {
        assertThat(cache.get(KEY)).contains("one");
        assertThat(cache.getIfPresent(KEY)).contains("one");
      }
      copies = cache.stats().nearHits() - before;
      reads = line.calls(Verb.READ) - readsBefore;
    }
    assertThat(copies).isGreaterThan(90);
    assertThat(reads).isLessThan(10);
  }

  @Test
  default void whateverOthersDropIsSeenWithinTheBound() {
    GuardedCache<String, String> near = near();
    GuardedCache<String, String> other = near();
    List<Runnable> writes =
        List.of(
            () -> other.invalidate("tagged"),
            () -> other.invalidateAll(List.of("tagged")),
            () -> other.update("tagged", () -> {}),
            () -> other.put("tagged", requireNonNull(database().load("tagged"))),
            () -> other.invalidateTag("tag"),
            other::clear);
    int version = 0;
    for (Runnable write : writes) {
      copied(near, "tagged");
      copied(other, "tagged");
      String value = "version " + ++version;
      database().write("tagged", value);
      write.run();
      assertThat(other.get("tagged")).as("its own writes").contains(value);
      assertSeen(near, "tagged", value);
    }
  }

  @Test
  default void ownWritesAreSeenAtOnce() {
    GuardedCache<String, String> near = near();
    for (int i = 0; i < 5; i++) {
      String value = "version " + i;
      near.update(KEY, () -> database().write(KEY, value));
      assertThat(near.get(KEY)).contains(value);
      copied(near, KEY);
    }
    near.put(KEY, "own");
    assertThat(near.get(KEY)).contains("own");
    database().write(KEY, "refreshed");
    near.refresh(KEY);
    assertThat(near.get(KEY)).contains("refreshed");
  }

  @Test
  default void copyMadeWhileTheCacheIsClearedIsGivenUp() throws Exception {
    FlakyBackend line = line();
    GuardedCache<String, String> near = near(line);
    database().write(KEY, "old");
    copied(near, KEY);
    database().write(KEY, "new");
    line.next(Verb.CLEAR, HOLDS_REQUEST);
    Running<Boolean> clearing =
        start(
            () -> {
              near.clear();
              return true;
            });
    until("the cache is being cleared", () -> line.heldCalls() == 1);
    copied(near, KEY);
    assertThat(near.get(KEY)).as("until then").contains("old");
    line.takeHeld().deliver();
    clearing.result();
    assertThat(near.get(KEY)).contains("new");
  }

  @Test
  default void copiesOfAProcessThatIsCutOffGoOutOfUse() {
    FlakyBackend line = line();
    GuardedCache<String, String> near = near(line);
    database().write(KEY, "old");
    copied(near, KEY);
    line.set(Verb.LOG, LOSES_REQUEST).set(Verb.APPEND, LOSES_REQUEST);
    database().write(KEY, "new");
    near().invalidate(KEY);
    assertSeen(near, KEY, "new");
    line.heal();
    copied(near, KEY);
    assertThat(near.get(KEY)).contains("new");
  }

  @Test
  default void copiesAreGivenUpWhenTheLogWasLost() {
    GuardedCache<String, String> near = near();
    database().write(KEY, "old");
    copied(near, KEY);
    store().loseData();
    database().write(KEY, "new");
    assertSeen(near, KEY, "new");
    copied(near, KEY);
    database().write(KEY, "newer");
    near().invalidate(KEY);
    assertSeen(near, KEY, "newer");
  }

  /** The store's reply arrives after the value was invalidated here. */
  @Test
  default void lateAnswerMakesNoCopy() throws Exception {
    FlakyBackend line = line();
    GuardedCache<String, String> near = near(line);
    database().write(KEY, "old");
    cache().get(KEY);
    line.next(Verb.READ, HOLDS_REPLY);
    Running<Optional<String>> reader = reading(near, KEY);
    until("it has asked", () -> line.heldCalls() == 1);
    near.update(KEY, () -> database().write(KEY, "new"));
    line.takeHeld().deliver();
    reader.result();
    assertThat(near.get(KEY)).contains("new");
    assertThat(near.get(KEY)).contains("new");
  }

  @Test
  default void copyEndsWithItsValue() {
    GuardedCache<String, String> near =
        GuardedCache.create(
            client(), NAME, settings().ttl(BOUND).near(10).nearTtl(LONG), database()::load);
    database().write(KEY, "one");
    near.get(KEY);
    near.get(KEY);
    database().write(KEY, "two");
    store().pass(BOUND.multipliedBy(2));
    assertThat(near.get(KEY)).contains("two");
  }
}
