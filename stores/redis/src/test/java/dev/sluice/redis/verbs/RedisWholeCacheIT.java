package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheLog;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheRequest.Aim;
import dev.sluice.spi.CacheValue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operations on a whole cache, on real servers: its log, and clearing it. */
@EachRedis
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisWholeCacheIT {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(20));
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3600 * SECOND;

  private final RedisServer server;
  private RedisBackend backend;
  private CacheBackend caches;

  RedisWholeCacheIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void connect() {
    server.call("FLUSHALL");
    backend = OpenedRedis.connect(server.uri(), SETTINGS);
    caches = backend.caches();
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private static CacheValue value(String text) {
    return new CacheValue(text.getBytes(StandardCharsets.UTF_8), HOUR, 0);
  }

  private static CacheRequest request(CacheKey key, String client, long attempt) {
    return new CacheRequest(key, client, attempt, 10 * SECOND, Aim.LOAD);
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  private CacheLog log(String after) {
    return get(caches.log("c", after));
  }

  @Test
  void theLogTellsWhatWasDroppedInOrder() {
    String place = get(caches.append("c", "hello"));
    assertThat(log(place)).isEqualTo(new CacheLog(true, place, List.of()));
    String last = "";
    for (String key : List.of("a", "b c", CacheLog.ALL, "\u00fc")) {
      last = get(caches.append("c", key));
    }
    get(caches.append("d", "of another cache"));
    assertThat(log(place))
        .isEqualTo(new CacheLog(true, last, List.of("a", "b c", CacheLog.ALL, "\u00fc")));
    assertThat(log(last)).isEqualTo(new CacheLog(true, last, List.of()));
    assertThat((long) server.call("PTTL", "sl:{c}:log")).isBetween(3_500_000L, 3_600_000L);
  }

  @Test
  void aLongLogComesInPagesAndDoesNotGrowForEver() {
    String first = get(caches.append("c", "first"));
    List<CompletionStage<String>> sent = new ArrayList<>();
    for (int i = 0; i < 2500; i++) {
      sent.add(caches.append("c", "k" + i));
    }
    sent.forEach(RedisWholeCacheIT::get);
    List<String> seen = new ArrayList<>();
    CacheLog page = log(first);
    while (!page.keys().isEmpty()) {
      assertThat(page.complete()).isTrue();
      assertThat(page.keys()).hasSizeLessThanOrEqualTo(1000);
      seen.addAll(page.keys());
      page = log(page.end());
    }
    assertThat(seen).hasSize(2500).startsWith("k0").endsWith("k2499");
    for (int i = 0; i < 8000; i++) {
      sent.add(caches.append("c", "x"));
    }
    sent.forEach(RedisWholeCacheIT::get);
    assertThat((long) server.call("XLEN", "sl:{c}:log")).isBetween(10_000L, 10_400L);
    assertThat(log(first).complete()).isFalse();
    assertThat(log(page.end()).complete()).isTrue();
  }

  @Test
  void aPlaceThatIsNotInTheLogAnyMoreIsTold() {
    String place = get(caches.append("c", "a"));
    assertThat(get(caches.log("never", place)).complete()).isFalse();
    server.call("XTRIM", "sl:{c}:log", "MAXLEN", "0");
    assertThat(log(place)).isEqualTo(new CacheLog(false, place, List.of()));
    place = get(caches.append("c", "b"));
    assertThat(log(place).complete()).isTrue();
    server.call("DEL", "sl:{c}:log");
    assertThat(log(place).complete()).isFalse();
    get(caches.append("c", "c"));
    assertThat(log(place).complete()).isFalse();
    String id = place.substring(0, place.indexOf(' '));
    server.call("DEL", "sl:{c}:log");
    server.call("XADD", "sl:{c}:log", id, "k", "another of the same number");
    assertThat(log(place).complete()).isFalse();
    assertThatThrownBy(() -> caches.log("c", "17")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aServerThatComesBackEmptyHasLostEveryPlace() {
    try (RedisServer own = RedisServer.start(server.binary());
        RedisBackend there = OpenedRedis.connect(own.uri(), SETTINGS)) {
      String place = get(there.caches().append("c", "a"));
      own.kill();
      own.restartEmpty();
      await()
          .atMost(AGES)
          .ignoreExceptions()
          .until(() -> !get(there.caches().log("c", place)).complete());
      get(there.caches().append("c", "b"));
      assertThat(get(there.caches().log("c", place)).complete()).isFalse();
    }
  }

  @Test
  void clearDropsOneCacheAndNoOther() {
    String odd = "a*[b]?\\^-{x}:y";
    List<String> others = List.of("aXb", "a*[b]?\\^-{x}", "axb??", "a*[b]?\\^-{x}:yz");
    List<CompletionStage<?>> puts = new ArrayList<>();
    for (int i = 0; i < 2500; i++) {
      puts.add(caches.put(new CacheKey(odd, "k" + i), value("x")));
    }
    for (String other : others) {
      puts.add(caches.put(new CacheKey(other, "k"), value("x")));
    }
    puts.add(caches.put(new CacheKey(odd, "a{b}:c%"), value("x")));
    puts.forEach(RedisWholeCacheIT::get);
    CacheKey loading = new CacheKey(odd, "loading");
    get(caches.begin(request(loading, "a", 1)));
    get(caches.clear(odd));
    assertThat(get(caches.fill(loading, "a", 1, value("late")))).isFalse();
    assertThat(server.call("DBSIZE")).isEqualTo((long) others.size());
    for (String other : others) {
      assertThat(get(caches.read(new CacheKey(other, "k")))).isNotNull();
    }
    get(caches.clear(odd));
  }

  /** Leases become values while the clear goes by; neither may be left behind. */
  @Test
  void clearLeavesNothingThatWasBeingLoaded() {
    String[] others = new String[1 + 2 * 20_000]; // so that there are many pages
    others[0] = "MSET";
    for (int i = 1; i < others.length; i++) {
      others[i] = "other" + i;
    }
    server.call(others);
    int loads = 1000;
    int stored = 0;
    try (RedisBackend other = OpenedRedis.connect(server.uri(), SETTINGS)) {
      for (int round = 1; round <= 5; round++) {
        List<CompletionStage<CacheReply>> begun = new ArrayList<>();
        for (int i = 0; i < loads; i++) {
          begun.add(other.caches().begin(request(new CacheKey("c", "k" + i), "a", round)));
        }
        begun.forEach(begin -> assertThat(get(begin)).isInstanceOf(CacheReply.Granted.class));
        CompletableFuture<Void> clearing = caches.clear("c").toCompletableFuture();
        for (int i = 0; i < loads; i++) {
          if (get(other.caches().fill(new CacheKey("c", "k" + i), "a", round, value("old")))) {
            stored++;
          }
        }
        get(clearing);
        assertThat((List<?>) server.call("KEYS", "sl:{c:*")).isEmpty();
      }
    }
    assertThat(stored).as("fills that came before the clear").isPositive();
  }
}
