package dev.sluice.testkit.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.cache.CacheLoadException;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.GuardedCache;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests of slow loads, early refreshes, and expired values.
 *
 * @since 0.1
 */
public interface RefreshAndStale extends CacheContract {
  Duration SOON = Duration.ofMillis(100);
  Duration TTL = Duration.ofSeconds(6);

  /** Moves into the part of a life in which a value is refreshed, seconds before its end. */
  private void passToTheRefresh() {
    store().pass(TTL.multipliedBy(3).dividedBy(10));
  }

  /** Gives only the first value a short life. */
  private CacheOptions<String, String> early() {
    return settings().ttl((key, value) -> value.equals("one") ? TTL : LONG).earlyRefresh(0.75);
  }

  private CacheOptions<String, String> stale() {
    return settings().ttl(SHORT).staleOnError(LONG);
  }

  private void cached(GuardedCache<String, String> cache, String value) {
    database().write(KEY, value);
    assertThat(cache.get(KEY)).contains(value);
  }

  private <T> T ended(Running<T> running) throws Exception {
    within("it ends", Duration.ofSeconds(3), () -> running.future().isDone());
    return running.result();
  }

  @Test
  default void c4_earlyRefreshIsOneLoadForTheFleetAndHoldsNobodyUp() throws Exception {
    List<GuardedCache<String, String>> fleet =
        Stream.generate(() -> GuardedCache.create(client(), NAME, early(), database()::load))
            .limit(4)
            .toList();
    fleet.forEach(cache -> cache.getIfPresent("to connect"));
    long start = store().nanos();
    cached(fleet.get(0), "one");
    fleet.forEach(cache -> cache.get(KEY));
    int early = database().loads();
    if (store().nanos() - start < TTL.dividedBy(4).toNanos()) { // else it was time to
      assertThat(early).as("too early").isEqualTo(1);
    }
    passToTheRefresh();
    database().write(KEY, "two");
    database().hold();
    assertThat(fleet.get(0).get(KEY)).contains("one");
    untilOneLoads();
    for (Running<Optional<String>> reader : reading(8, fleet, KEY)) {
      assertThat(reader.result()).contains("one");
    }
    assertThat(database().loads()).isEqualTo(early + 1);
    database().letGo();
    until("it is replaced", () -> fleet.get(3).get(KEY).equals(Optional.of("two")));
    store().pass(TTL.multipliedBy(8).dividedBy(10)); // past the end of the first value
    assertThat(fleet.get(1).getIfPresent(KEY)).contains("two");
  }

  @Test
  default void c4_earlyRefreshAsksTheStoreFirst() {
    FlakyBackend line = line();
    GuardedCache<String, String> cache =
        GuardedCache.create(client(line), NAME, early().near(100), database()::load);
    cached(cache, "one");
    within(
        "there is a copy", AGES, () -> cache.get(KEY).isPresent() && cache.stats().nearHits() > 0);
    cached(GuardedCache.create(client(), NAME, early().near(100), database()::load), "one");
    database().write(KEY, "two");
    passToTheRefresh();
    cache().refresh(KEY);
    int loads = database().loads();
    within(
        "the new value is seen",
        Duration.ofSeconds(2),
        () -> cache.get(KEY).equals(Optional.of("two")));
    assertThat(database().loads()).isEqualTo(loads);
  }

  @Test
  default void c4_shortLivesAreNotRefreshedAllTheTime() {
    Duration life = TTL.multipliedBy(4);
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(),
            NAME,
            settings()
                .ttl(LONG)
                .ttl((key, value) -> value.equals("short") ? life : LONG)
                .absentTtl(life)
                .earlyRefresh(0.5)
                .near(100)
                .nearTtl(Duration.ofSeconds(1)),
            database()::load);
    database().write("short", "short");
    database().write("long", "long");
    for (int i = 0; i < 10; i++) { // within the first half of each life
      cache.get("short");
      cache.get("absent");
      cache.get("long");
      store().pass(SOON);
    }
    assertThat(database().loads()).isEqualTo(3);
  }

  @Test
  default void c4_earlyRefreshThatFailsLeavesTheValue() {
    GuardedCache<String, String> cache =
        GuardedCache.create(client(), NAME, early(), database()::load);
    cached(cache, "one");
    passToTheRefresh();
    database().failWith(new IllegalStateException("no database"));
    assertThat(cache.get(KEY)).contains("one");
    until("it has failed", () -> cache.stats().loadFailures() == 1);
    assertThat(cache.get(KEY)).contains("one");
  }

  @Test
  default void c4_staleIsServedWhenALoadFails() {
    GuardedCache<String, String> cache =
        GuardedCache.create(client(), NAME, stale(), database()::load);
    cached(cache, "one");
    store().pass(SHORT.multipliedBy(2));
    assertThat(cache.getIfPresent(KEY)).as("it is not fresh").isEmpty();
    database().failWith(new IllegalStateException("no database"));
    assertThat(cache.get(KEY)).contains("one");
    assertThat(GuardedCache.create(client(), NAME, stale(), database()::load).get(KEY))
        .contains("one");
    assertThat(cache.stats().stale()).isEqualTo(1);
    database().failWith(null);
    database().write(KEY, "two");
    assertThat(cache.get(KEY)).contains("two");
  }

  @Test
  default void c4_whatWasInvalidatedIsNotServedStale() {
    GuardedCache<String, String> cache =
        GuardedCache.create(client(), NAME, stale(), database()::load);
    cached(cache, "one");
    cache().invalidate(KEY);
    database().failWith(new IllegalStateException("no database"));
    assertThatThrownBy(() -> cache.get(KEY)).hasMessage("no database");
  }

  @Test
  default void c4_staleEndsToo() {
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(), NAME, settings().ttl(SHORT).staleOnError(SHORT), database()::load);
    cached(cache, "one");
    store().pass(SHORT.multipliedBy(3));
    database().failWith(new IllegalStateException("no database"));
    assertThatThrownBy(() -> cache.get(KEY)).hasMessage("no database");
  }

  @Test
  default void c4_softTimeoutServesStaleWhileOneLoadGoesOn() throws Exception {
    List<GuardedCache<String, String>> fleet =
        Stream.generate(
                () ->
                    GuardedCache.create(
                        client(), NAME, stale().softTimeout(SOON), database()::load))
            .limit(3)
            .toList();
    cached(fleet.get(0), "one");
    store().pass(SHORT.multipliedBy(2));
    database().write(KEY, "two");
    database().hold();
    List<Running<Optional<String>>> readers = new ArrayList<>(reading(8, fleet, KEY));
    untilOneLoads();
    for (Running<Optional<String>> reader : readers) {
      assertThat(ended(reader)).contains("one");
    }
    readers.clear();
    readers.addAll(reading(4, fleet, KEY));
    for (Running<Optional<String>> reader : readers) {
      assertThat(ended(reader)).contains("one");
    }
    assertThat(database().loads()).isEqualTo(2);
    database().letGo();
    byte[] two = "two".getBytes(StandardCharsets.UTF_8);
    until( // fresh or, after a while, stale again
        "it has filled",
        () -> stored(KEY).filter(entry -> Arrays.equals(entry.bytes(), two)).isPresent());
    assertThat(database().loads()).isEqualTo(2);
  }

  @Test
  default void c4_softTimeoutWaitsWhereNothingIsStale() throws Exception {
    GuardedCache<String, String> cache =
        GuardedCache.create(client(), NAME, stale().softTimeout(SOON), database()::load);
    database().write(KEY, "one");
    database().hold();
    Running<Optional<String>> reader = reading(cache, KEY);
    untilOneLoads();
    store().pass(SOON.multipliedBy(3));
    assertThat(reader.future().isDone()).isFalse();
    database().letGo();
    assertThat(reader.result()).contains("one");
  }

  @Test
  default void c4_hardTimeoutGivesUpWhileTheLoadGoesOn() throws Exception {
    GuardedCache<String, String> cache =
        GuardedCache.create(client(), NAME, settings().hardTimeout(SOON), database()::load);
    database().write(KEY, "one");
    database().hold();
    List<Running<Optional<String>>> readers = reading(4, List.of(cache), KEY);
    CompletableFuture<Optional<String>> stage = cache.async().get(KEY).toCompletableFuture();
    untilOneLoads();
    for (Running<Optional<String>> reader : readers) {
      assertThatThrownBy(() -> ended(reader))
          .hasCauseInstanceOf(CacheLoadException.class)
          .hasMessageContaining(KEY);
    }
    within("it completes", Duration.ofSeconds(1), stage::isDone);
    assertThatThrownBy(stage::join).hasCauseInstanceOf(CacheLoadException.class);
    assertThat(database().loads()).isEqualTo(1);
    database().letGo();
    until("it has filled", () -> stored(KEY).isPresent());
    assertThat(cache.get(KEY)).contains("one");
    assertThat(database().loads()).isEqualTo(1);
  }

  @Test
  default void c4_hardTimeoutHoldsForRefreshAndForManyKeys() throws Exception {
    GuardedCache<String, String> cache =
        GuardedCache.create(client(), NAME, settings().hardTimeout(SOON), database()::load);
    cached(cache(), "one"); // by a reader without a timeout
    database().hold();
    Running<Optional<String>> refresh = start(() -> cache.refresh(KEY));
    assertThatThrownBy(() -> ended(refresh)).hasCauseInstanceOf(CacheLoadException.class);
    Running<?> all = start(() -> cache.getAll(List.of(KEY, "b")));
    assertThatThrownBy(() -> ended(all)).hasCauseInstanceOf(CacheLoadException.class);
    assertThat(cache.get(KEY)).contains("one");
  }

  @Test
  default void c4_othersGoOnAfterTheLeaseOfALoaderThatNeverEnds() throws Exception {
    database().hold();
    Duration lease = Duration.ofMillis(200);
    GuardedCache<String, String> stuck =
        GuardedCache.create(
            client(), NAME, settings().hardTimeout(SOON).fillLease(lease), database()::load);
    Running<Optional<String>> first = reading(stuck, KEY);
    assertThatThrownBy(() -> ended(first)).hasCauseInstanceOf(CacheLoadException.class);
    Running<Optional<String>> second =
        start(() -> GuardedCache.create(client(), NAME, settings()).get(KEY, key -> "other"));
    assertThat(ended(second)).contains("other");
    assertThat(stuck.get(KEY)).contains("other");
    assertThat(database().loads()).isEqualTo(1);
  }

  @Test
  default void c4_hitIsOneCallAndAMissThree() {
    FlakyBackend line = line();
    GuardedCache<String, String> cache = cache(client(line));
    cached(cache, "one");
    for (int i = 0; i < 5; i++) {
      cache.get(KEY);
    }
    assertThat(line.calls(Verb.READ)).isEqualTo(6);
    assertThat(line.calls(Verb.BEGIN)).isEqualTo(1);
    assertThat(line.calls(Verb.FILL)).isEqualTo(1);
    assertThat(line.calls()).as("a hit is one call").isEqualTo(8);
  }
}
