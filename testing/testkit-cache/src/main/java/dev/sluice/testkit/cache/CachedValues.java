package dev.sluice.testkit.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests of each call without concurrent callers.
 *
 * @since 0.1
 */
public interface CachedValues extends CacheContract {

  @Test
  default void valueIsLoadedOnceForTheFleet() {
    database().write(KEY, "one");
    assertThat(cache().get(KEY)).contains("one");
    database().write(KEY, "two"); // the cache was not notified
    for (int i = 0; i < 3; i++) {
      assertThat(cache().get(KEY)).contains("one");
    }
    assertThat(database().loads()).isEqualTo(1);
  }

  @Test
  default void absentIsRememberedToo() {
    assertThat(cache().get(KEY)).isEmpty();
    assertThat(cache().get(KEY)).isEmpty();
    assertThat(cache().getIfPresent(KEY)).isEmpty();
    assertThat(database().loads()).isEqualTo(1);
  }

  @Test
  default void absentIsNotRememberedWhereNotAskedFor() {
    GuardedCache<String, String> cache =
        GuardedCache.create(client(), NAME, settings().absentTtl(Duration.ZERO), database()::load);
    assertThat(cache.get(KEY)).isEmpty();
    assertThat(cache.get(KEY)).isEmpty();
    assertThat(database().loads()).isEqualTo(2);
    database().write(KEY, "one");
    assertThat(cache.get(KEY)).contains("one");
    assertThat(stored(KEY)).isPresent();
  }

  @Test
  default void c3_absentHasALifeOfItsOwn() {
    GuardedCache<String, String> cache =
        GuardedCache.create(client(), NAME, settings().absentTtl(SHORT), database()::load);
    database().write("there", "one");
    assertThat(cache.get("there")).contains("one");
    assertThat(cache.get("not there")).isEmpty();
    database().write("not there", "two");
    store().pass(SHORT.multipliedBy(2));
    assertThat(cache.get("there")).contains("one");
    assertThat(cache.get("not there")).contains("two");
    assertThat(database().loads("there")).isEqualTo(1);
  }

  @Test
  default void valuesExpireEachInItsTime() {
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(),
            NAME,
            settings().ttl((key, value) -> value.startsWith("short") ? SHORT : LONG),
            database()::load);
    database().write("a", "short 1");
    database().write("b", "long 1");
    assertThat(cache.get("a")).contains("short 1");
    assertThat(cache.get("b")).contains("long 1");
    cache.put("c", "short 1");
    cache.put("d", "short 1", LONG);
    List.of("a", "b", "c", "d").forEach(key -> database().write(key, "short 2"));
    store().pass(SHORT.multipliedBy(2));
    assertThat(cache.get("a")).contains("short 2");
    assertThat(cache.get("b")).contains("long 1");
    assertThat(cache.get("c")).contains("short 2");
    assertThat(cache.get("d")).contains("short 1");
  }

  @Test
  default void getIfPresentNeverLoads() {
    database().write(KEY, "one");
    GuardedCache<String, String> cache = cache();
    assertThat(cache.getIfPresent(KEY)).isEmpty();
    assertThat(database().loads()).isZero();
    cache.get(KEY);
    assertThat(cache().getIfPresent(KEY)).contains("one");
  }

  @Test
  default void putIsSeenByOthersAndEnds() {
    GuardedCache<String, String> cache = cache();
    GuardedCache<String, String> other = cache();
    cache.put(KEY, "own");
    assertThat(other.get(KEY)).contains("own");
    Duration life = Duration.ofSeconds(3);
    other.put(KEY, "other", life);
    assertThat(cache.getIfPresent(KEY)).contains("other");
    store().pass(life.plus(SHORT));
    assertThat(cache.getIfPresent(KEY)).isEmpty();
    assertThat(database().loads()).isZero();
  }

  @Test
  default void livesOfWhatIsStoredTogetherDiffer() {
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(),
            NAME,
            settings().jitter(0.5).absentTtl(Duration.ofMinutes(5)),
            database()::load);
    for (String how : List.of("loaded", "absent", "put")) {
      TreeSet<Long> lives = new TreeSet<>();
      for (int i = 0; i < 40; i++) {
        String key = how + i;
        if (how.equals("put")) {
          cache.put(key, "value");
        } else {
          if (how.equals("loaded")) {
            database().write(key, "value");
          }
          cache.get(key);
        }
        lives.add(stored(key).orElseThrow().leftMicros());
      }
      Duration life = how.equals("absent") ? Duration.ofMinutes(5) : LONG;
      long micros = life.toNanos() / 1000;
      assertThat(lives.last()).as(how).isLessThanOrEqualTo(micros);
      // with a minute for a slow machine
      assertThat(lives.first()).as(how).isGreaterThan(micros / 2 - 60_000_000);
      assertThat(lives.last() - lives.first()).as("%s: %s", how, lives).isGreaterThan(micros / 4);
    }
  }

  @Test
  default void invalidatedIsLoadedAgainByEverybody() {
    GuardedCache<String, String> cache = cache();
    GuardedCache<String, String> other = cache();
    database().write(KEY, "one");
    database().write("b", "one");
    cache.get(KEY);
    cache.get("b");
    database().write(KEY, "two");
    other.invalidate(KEY);
    assertThat(cache.get(KEY)).contains("two");
    assertThat(cache.get("b")).contains("one");
    database().write(KEY, "three");
    database().write("b", "three");
    other.invalidateAll(List.of(KEY, "b", "never there"));
    assertThat(cache.get(KEY)).contains("three");
    assertThat(cache.get("b")).contains("three");
    other.invalidateAll(List.of());
    assertThat(database().loads()).isEqualTo(5);
  }

  @Test
  default void clearDropsThisCacheAndNoOther() {
    Sluice client = client();
    GuardedCache<String, String> cache = cache(client);
    GuardedCache<String, String> neighbour =
        GuardedCache.create(
            client,
            NAME + "2",
            CacheOptions.of(String.class, Codec.utf8()).deadline(PATIENT),
            database()::load);
    List<String> keys = IntStream.range(0, 30).mapToObj(i -> "key " + i).toList();
    keys.forEach(key -> database().write(key, "one"));
    keys.forEach(cache::get);
    neighbour.get("key 1");
    keys.forEach(key -> database().write(key, "two"));
    cache().clear();
    keys.forEach(key -> assertThat(cache.get(key)).contains("two"));
    assertThat(neighbour.get("key 1")).contains("one");
  }

  @Test
  default void updateWritesAndDrops() {
    GuardedCache<String, String> cache = cache();
    GuardedCache<String, String> other = cache();
    database().write(KEY, "one");
    other.get(KEY);
    String result =
        cache.<String>update(
            KEY,
            () -> {
              database().write(KEY, "two");
              return "written";
            });
    assertThat(result).isEqualTo("written");
    assertThat(other.get(KEY)).contains("two");
    cache.update(KEY, () -> database().write(KEY, "three"));
    assertThat(other.get(KEY)).contains("three");
    assertThat(stored(KEY)).isPresent();
    assertThat(cache.<String>update(KEY, () -> null)).isNull();
  }

  @Test
  default void refreshReplacesWhatIsFresh() {
    GuardedCache<String, String> cache = cache();
    database().write(KEY, "one");
    cache.get(KEY);
    database().write(KEY, "two");
    assertThat(cache().refresh(KEY)).contains("two");
    assertThat(cache.get(KEY)).contains("two");
    database().delete(KEY);
    assertThat(cache.refresh(KEY)).isEmpty();
    assertThat(cache().get(KEY)).isEmpty();
    assertThat(cache.refresh("never cached")).isEmpty();
    assertThat(database().loads()).isEqualTo(4);
  }

  @Test
  default void loaderMayComeWithTheCall() {
    GuardedCache<String, String> cache = GuardedCache.create(client(), NAME, settings());
    assertThat(cache.get(KEY, key -> "of " + key)).contains("of " + KEY);
    assertThat(cache.get(KEY, key -> "another")).contains("of " + KEY);
    assertThat(cache.get("absent", key -> null)).isEmpty();
  }

  @Test
  default void manyAreReadAtOnce() {
    List.of("a", "b", "c").forEach(key -> database().write(key, key + "1"));
    GuardedCache<String, String> cache = cache();
    cache.get("b");
    assertThat(cache.getAll(List.of("c", "a", "absent", "b", "a")))
        .containsExactly(Map.entry("c", "c1"), Map.entry("a", "a1"), Map.entry("b", "b1"));
    assertThat(database().loads()).isEqualTo(4);
    assertThat(cache().getAll(List.of("a", "b", "c", "absent"))).hasSize(3);
    assertThat(cache.getAll(List.of())).isEmpty();
    assertThat(database().loads()).isEqualTo(4);
  }

  @Test
  default void missesOfManyAreOneCallOfTheLoader() {
    List.of("a", "b", "c").forEach(key -> database().write(key, key + "1"));
    GuardedCache<String, String> cache =
        GuardedCache.create(
            client(), NAME, settings().bulkLoader(database()::loadAll), database()::load);
    cache.get("b");
    assertThat(cache.getAll(List.of("a", "b", "c", "absent"))).containsOnlyKeys("a", "b", "c");
    assertThat(database().batches()).containsExactly(Set.of("a", "c", "absent"));
    assertThat(cache.getAll(List.of("a", "b", "c", "absent"))).hasSize(3);
    assertThat(cache.get("absent")).isEmpty();
    assertThat(database().batches()).hasSize(1);
    assertThat(database().loads()).isEqualTo(1);
  }

  @Test
  default void tagDropsWhatCarriesIt() {
    GuardedCache<String, String> cache = tagged();
    GuardedCache<String, String> other = tagged();
    Map.of("a", "red big", "b", "red", "c", "blue", "d", "none").forEach(database()::write);
    Set<String> keys = Set.of("a", "b", "c", "d");
    keys.forEach(cache::get);
    cache.put("e", "red");
    other.invalidateTag("red");
    keys.forEach(cache::get);
    assertThat(List.of("a", "b", "c", "d").stream().map(database()::loads))
        .containsExactly(2, 2, 1, 1);
    assertThat(cache.getIfPresent("e")).isEmpty();
    cache.invalidateTag("big");
    keys.forEach(other::get);
    assertThat(List.of("a", "b", "c", "d").stream().map(database()::loads))
        .containsExactly(3, 2, 1, 1);
  }

  /** Tests values that are lists of tags. */
  private GuardedCache<String, String> tagged() {
    return GuardedCache.create(
        client(),
        NAME,
        settings()
            .tags((key, value) -> value.equals("none") ? List.of() : List.of(value.split(" "))),
        database()::load);
  }

  @Test
  default void callsWithoutBlockingDoTheSame() {
    GuardedCache<String, String> cache = cache();
    database().write(KEY, "one");
    assertThat(cache.async().getIfPresent(KEY).toCompletableFuture().join()).isEmpty();
    assertThat(cache.async().get(KEY).toCompletableFuture().join()).contains("one");
    assertThat(
            cache
                .async()
                .get("b", key -> CompletableFuture.completedFuture("two"))
                .toCompletableFuture()
                .join())
        .contains("two");
    assertThat(
            cache
                .async()
                .get("c", key -> CompletableFuture.completedFuture(null))
                .toCompletableFuture()
                .join())
        .isEmpty();
    assertThat(cache.async().getAll(Set.of(KEY, "b", "c")).toCompletableFuture().join())
        .isEqualTo(Map.of(KEY, "one", "b", "two"));
    assertThat(database().loads()).isEqualTo(1);
    cache.async().invalidate(KEY).toCompletableFuture().join();
    assertThat(cache().getIfPresent(KEY)).isEmpty();
    cache.async().put(KEY, "own").toCompletableFuture().join();
    cache.async().put("b", "short", SHORT).toCompletableFuture().join();
    assertThat(cache().get(KEY)).contains("own");
    assertThat(cache.async().refresh(KEY).toCompletableFuture().join()).contains("one");
    String written =
        cache
            .async()
            .update(
                KEY,
                () -> {
                  database().write(KEY, "two");
                  return CompletableFuture.completedFuture("written");
                })
            .toCompletableFuture()
            .join();
    assertThat(written).isEqualTo("written");
    assertThat(cache().get(KEY)).contains("two");
    store().pass(SHORT.multipliedBy(2));
    assertThat(cache.async().getIfPresent("b").toCompletableFuture().join()).isEmpty();
  }

  @Test
  default void whatHappensIsCounted() {
    GuardedCache<String, String> cache = cache();
    database().write(KEY, "one");
    cache.get(KEY);
    cache.get(KEY);
    cache.getIfPresent("absent");
    cache.get("absent");
    assertThat(cache.stats().hits()).isEqualTo(1);
    assertThat(cache.stats().misses()).isEqualTo(3);
    assertThat(cache.stats().loads()).isEqualTo(2);
    assertThat(cache.stats().loadFailures()).isZero();
    assertThat(cache.stats().nearHits()).isZero();
    assertThat(cache.stats().pendingInvalidations()).isZero();
    assertThat(cache.name()).isEqualTo(NAME);
  }

  @Test
  default void keysThatDifferInAnythingAreDifferent() {
    GuardedCache<String, String> cache = cache();
    List<String> keys =
        List.of("a", "A", "a ", " a", "a:b", "{a}", "%7Ba%7D", "é", "e\u0301", "\n");
    keys.forEach(key -> database().write(key, "of " + key));
    keys.forEach(cache::get);
    assertThat(cache().getAll(keys))
        .isEqualTo(keys.stream().collect(Collectors.toMap(key -> key, key -> "of " + key)));
    assertThat(database().loads()).isEqualTo(keys.size());
  }
}
