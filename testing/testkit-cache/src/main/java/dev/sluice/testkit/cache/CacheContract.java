package dev.sluice.testkit.cache;

import dev.sluice.Sluice;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.spi.Backend;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import dev.sluice.testkit.Contract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Shared methods of the tests of caches.
 *
 * @since 0.1
 */
public interface CacheContract extends Contract {

  /** The cache of the test. */
  String NAME = "contract/cache {42}";

  /** The key whose value is used. */
  String KEY = "product {7}";

  /** A life that outlasts every test. */
  Duration LONG = Duration.ofHours(1);

  /** A life that ends within a test. */
  Duration SHORT = Duration.ofMillis(300);

  /** A deadline that a slow machine can keep. */
  Duration PATIENT = Duration.ofSeconds(20);

  /** {@return the database of the test} */
  default SlowDatabase database() {
    return kept(SlowDatabase.class, SlowDatabase::new);
  }

  /** Settings of the cache of the test, patient and without jitter. */
  default CacheOptions<String, String> settings() {
    return CacheOptions.of(String.class, Codec.utf8()).deadline(PATIENT).jitter(0).ttl(LONG);
  }

  /** The tested cache over the test's database. */
  default GuardedCache<String, String> cache(Sluice client) {
    return GuardedCache.create(client, NAME, settings(), database()::load);
  }

  /** {@return the cache of a new client} */
  default GuardedCache<String, String> cache() {
    return cache(client());
  }

  /** A reader on a new thread. */
  default Running<Optional<String>> reading(GuardedCache<String, String> cache, String key) {
    return start(() -> cache.get(key));
  }

  /** Readers, each on a new thread. */
  default List<Running<Optional<String>>> reading(
      int count, List<GuardedCache<String, String>> caches, String key) {
    List<Running<Optional<String>>> readers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      for (GuardedCache<String, String> cache : caches) {
        readers.add(reading(cache, key));
      }
    }
    return readers;
  }

  /** Waits until each thread is blocked or done. */
  default void untilAllWait(Collection<? extends Running<?>> running) {
    until("all wait", () -> running.stream().allMatch(this::waits));
  }

  private boolean waits(Running<?> one) {
    Thread.State state = one.thread().getState();
    return one.future().isDone()
        || state == Thread.State.WAITING
        || state == Thread.State.TIMED_WAITING;
  }

  /** Waits until a load is held. */
  default void untilOneLoads() {
    until("a load is under way", () -> database().running() > 0);
  }

  /** Sends a request to the store itself. */
  default Optional<CacheEntry> stored(String key) {
    return stored(store().connect(), key);
  }

  /** Sends a request to the store itself, without a new connection. */
  default Optional<CacheEntry> stored(Backend direct, String key) {
    CompletableFuture<@Nullable CacheEntry> entry =
        direct.caches().read(new CacheKey(NAME, key)).toCompletableFuture();
    return Optional.ofNullable(entry.orTimeout(30, TimeUnit.SECONDS).join());
  }
}
