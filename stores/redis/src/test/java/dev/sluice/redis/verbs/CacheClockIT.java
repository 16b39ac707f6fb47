package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.Consistency;
import dev.sluice.cache.GuardedCache;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.ShiftedClock;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheRequest.Aim;
import dev.sluice.spi.CacheValue;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Fault;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Caches on a real server whose wall clock is stepped. Needs a C compiler. */
@EachRedis
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CacheClockIT {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(20));
  private static final CacheKey KEY = new CacheKey("c", "k");
  private static final int LONG = 300_000;

  private final RedisBinary binary;

  CacheClockIT(RedisBinary binary) {
    this.binary = binary;
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  private static CacheRequest request(long attempt) {
    return new CacheRequest(KEY, "a", attempt, 10_000_000, Aim.LOAD);
  }

  /** The server says that it is fresh, and the client takes it for expired. */
  @Test
  void longValueIsServedWithOneReadAfterTheClockWentBack() {
    ShiftedClock clock = new ShiftedClock(binary);
    try (RedisServer server = RedisServer.start(clock.program())) {
      clock.set(Duration.ofHours(1));
      try (RedisBackend backend = OpenedRedis.connect(server.uri(), SETTINGS)) {
        CacheBackend caches = backend.caches();
        assertThat(get(caches.begin(request(1)))).isInstanceOf(CacheReply.Granted.class);
        CacheValue value = new CacheValue(new byte[LONG], 3_000_000, 0);
        assertThat(get(caches.fill(KEY, "a", 1, value))).isTrue();
        clock.set(Duration.ZERO);
        await().atMost(Duration.ofSeconds(30)).until(() -> !isFresh(get(caches.read(KEY))));

        long before = reads(server);
        assertThat(get(caches.begin(request(2)))).isInstanceOf(CacheReply.Hit.class);
        assertThat(reads(server) - before).isBetween(1L, 5L); // scripts read, too
        assertThat(isFresh(get(caches.read(KEY)))).as("by the clock as it is now").isTrue();
      }
    }
  }

  @Test
  void strongUpdateIsUnknownAfterTheGuardOfItsKeyWasEvicted() {
    strongUpdateIsUnknownAfter((server, clock) -> server.call("UNLINK", "sl:{c:k}:g"));
  }

  @Test
  void strongUpdateIsUnknownAfterAForwardStepOfTheClock() {
    strongUpdateIsUnknownAfter((server, clock) -> clock.set(Duration.ofSeconds(11)));
  }

  /** The announcement goes while the write runs, another client fills, and the end gets lost. */
  private void strongUpdateIsUnknownAfter(BiConsumer<RedisServer, ShiftedClock> loss) {
    ShiftedClock clock = new ShiftedClock(binary);
    AtomicReference<String> row = new AtomicReference<>("old");
    CacheOptions<String, String> strong =
        CacheOptions.of(String.class, Codec.utf8())
            .deadline(Duration.ofSeconds(20))
            .consistency(Consistency.STRONG);
    try (RedisServer server = RedisServer.start(clock.program());
        FlakyBackend line = new FlakyBackend(OpenedRedis.connect(server.uri(), SETTINGS));
        Sluice one = Sluice.builder().backend(line).build();
        Sluice two = Sluice.connect(server.uri())) {
      GuardedCache<String, String> writer = GuardedCache.create(one, "c", strong, key -> row.get());
      GuardedCache<String, String> reader = GuardedCache.create(two, "c", strong, key -> row.get());
      Runnable write =
          () -> {
            loss.accept(server, clock);
            await().until(() -> server.call("EXISTS", "sl:{c:k}:c").equals(1L) || fills(reader));
            row.set("new");
            line.next(Verb.INVALIDATE, Fault.LOSES_REQUEST);
          };
      assertThatThrownBy(() -> writer.update("k", write))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("an older value may still be served");
      await().until(() -> writer.stats().pendingInvalidations() == 0);
      assertThat(reader.get("k")).contains("new");
    }
  }

  /** Reads the old row; false until the value is stored, as while a write is announced. */
  private static boolean fills(GuardedCache<String, String> reader) {
    assertThat(reader.get("k")).contains("old");
    return false;
  }

  private static boolean isFresh(CacheEntry entry) {
    return entry != null && entry.isFresh();
  }

  private static long reads(RedisServer server) {
    Matcher calls =
        Pattern.compile("cmdstat_get:calls=(\\d+)")
            .matcher(String.valueOf(server.call("INFO", "commandstats")));
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }
}
