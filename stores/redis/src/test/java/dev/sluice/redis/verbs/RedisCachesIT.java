package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.ForeignDataException;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.connection.Uris;
import dev.sluice.redis.keys.StoredValue;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheRequest.Aim;
import dev.sluice.spi.CacheValue;
import io.lettuce.core.RedisURI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The verbs of caches on real servers and their real clock. */
@EachRedis
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisCachesIT {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(20));
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3600 * SECOND;
  private static final CacheKey KEY = new CacheKey("c", "k");
  private static final String VALUE = "sl:{c:k}:c";
  private static final String GUARD = "sl:{c:k}:g";

  private final RedisServer server;
  private RedisBackend backend;
  private CacheBackend caches;

  RedisCachesIT(RedisServer server) {
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

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static CacheValue value(String text) {
    return value(bytes(text));
  }

  private static CacheValue value(byte[] bytes) {
    return new CacheValue(bytes, HOUR, 0);
  }

  private static CacheRequest request(CacheKey key, String client, long attempt) {
    return new CacheRequest(key, client, attempt, 10 * SECOND, Aim.LOAD);
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Test
  void aValueIsReadAsItWasFilled() {
    assertThat(get(caches.read(KEY))).isNull();
    assertThat(get(caches.begin(request(KEY, "a", 1)))).isInstanceOf(CacheReply.Granted.class);
    CacheValue stored = new CacheValue(bytes("one"), HOUR, HOUR, List.of("t", "\u00fc"), 17);
    assertThat(get(caches.fill(KEY, "a", 1, stored))).isTrue();
    CacheEntry entry = get(caches.read(KEY));
    assertThat(entry.bytes()).isEqualTo(bytes("one"));
    assertThat(entry.tags()).containsExactly("t", "\u00fc");
    assertThat(entry.tagVersion()).isEqualTo(17);
    assertThat(entry.leftMicros()).isBetween(HOUR - 60 * SECOND, HOUR);
    CacheReply.Hit hit = (CacheReply.Hit) get(caches.begin(request(KEY, "b", 1)));
    assertThat(hit.entry().bytes()).isEqualTo(bytes("one"));
    assertThat(hit.entry().tags()).containsExactly("t", "\u00fc");
    assertThat(server.call("EXISTS", GUARD)).isEqualTo(0L);
  }

  @Test
  void absenceAndAnEmptyValueAreDifferent() {
    get(caches.put(KEY, new CacheValue(null, HOUR, 0)));
    assertThat(get(caches.read(KEY)).bytes()).isNull();
    get(caches.put(KEY, new CacheValue(new byte[0], HOUR, 0)));
    assertThat(get(caches.read(KEY)).bytes()).isEmpty();
    get(caches.put(KEY, new CacheValue(new byte[0], 0, 0)));
    assertThat(get(caches.read(KEY))).isNull();
  }

  @Test
  void aFirstReadKnowsWhetherTheValueIsStale() {
    get(caches.put(KEY, new CacheValue(bytes("x"), 1000, HOUR)));
    get(caches.put(new CacheKey("c", "fresh"), value("y")));
    await().pollDelay(Duration.ofMillis(5)).until(() -> true);
    try (RedisBackend other = OpenedRedis.connect(server.uri(), SETTINGS)) {
      assertThat(get(other.caches().read(KEY)).leftMicros()).isNotPositive();
    }
    try (RedisBackend other = OpenedRedis.connect(server.uri(), SETTINGS)) {
      assertThat(get(other.caches().read(new CacheKey("c", "fresh"))).leftMicros())
          .isBetween(HOUR - 60 * SECOND, HOUR);
    }
  }

  @Test
  void valuesGoWhenTheyAreNotKeptAnyLongerAndGuardsSoonAfterTheirTime() {
    get(caches.put(KEY, new CacheValue(bytes("x"), 60_000, 40_000)));
    assertThat((long) server.call("PTTL", VALUE)).isBetween(-2L, 100L);
    get(caches.begin(new CacheRequest(KEY, "a", 1, 50_500, Aim.REFRESH)));
    get(caches.begin(new CacheRequest(KEY, "b", 1, 50_500, Aim.REFRESH)));
    assertThat((long) server.call("PTTL", GUARD)).isBetween(-2L, 1051L);
    CacheKey other = new CacheKey("c", "other");
    get(caches.intend(other, "a", 1, 70_000));
    assertThat((long) server.call("PTTL", "sl:{c:other}:g")).isBetween(-2L, 1070L);
    await().atMost(AGES).until(() -> server.call("DBSIZE").equals(0L));
  }

  @Test
  void whateverIsDoneNothingStaysForEver() {
    SplittableRandom random = new SplittableRandom(7);
    List<CompletionStage<?>> calls = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      CacheKey key = new CacheKey("c" + random.nextInt(2), "k" + random.nextInt(5));
      String client = "client" + random.nextInt(3);
      long attempt = 1 + random.nextInt(3);
      long span = 1 + random.nextLong(3000);
      List<String> tags = random.nextBoolean() ? List.of() : List.of("t" + random.nextInt(3));
      CacheValue value = new CacheValue(bytes("v" + i), span, random.nextInt(2) * span, tags, i);
      calls.add(
          switch (random.nextInt(11)) {
            case 0 -> caches.begin(new CacheRequest(key, client, attempt, span, Aim.LOAD));
            case 1 -> caches.begin(new CacheRequest(key, client, attempt, span, Aim.REFRESH));
            case 2 -> caches.keep(key, client, attempt, span);
            case 3, 4 -> caches.fill(key, client, attempt, value);
            case 5 -> caches.abandon(key, client, attempt);
            case 6 -> caches.intend(key, client, attempt, span);
            case 7 -> caches.invalidate(key, client, attempt);
            case 8 -> caches.put(key, value);
            case 9 -> caches.invalidateTag(key.cache(), "t" + random.nextInt(3), 2 * span);
            default -> caches.append(key.cache(), key.key());
          });
      if (i % 500 == 0) {
        calls.forEach(RedisCachesIT::get);
        assertMortal();
      }
    }
    calls.forEach(RedisCachesIT::get);
    assertMortal();
    await()
        .atMost(AGES)
        .until(() -> ((List<?>) server.call("KEYS", "*")).stream().allMatch(k -> isLog(k)));
  }

  private static boolean isLog(Object key) {
    return key.toString().endsWith("}:log");
  }

  private void assertMortal() {
    for (Object key : (List<?>) server.call("KEYS", "*")) {
      assertThat((long) server.call("PTTL", key.toString())).as("" + key).isNotEqualTo(-1L);
    }
  }

  @Test
  void whoWaitsIsTold() {
    Queue<String> told = new ConcurrentLinkedQueue<>();
    CacheKey odd = new CacheKey("a:{c}", "k:%\n\u00fc");
    try (RedisBackend other = OpenedRedis.connect(server.uri(), SETTINGS)) {
      get(other.caches().listenForLoads("b", key -> told.add("b " + key)));
      get(caches.listenForLoads("a", key -> told.add("a " + key)));
      get(backend.locks().listen("a", message -> {}));
      backend.locks().unlisten("a"); // leaves the channel to the loads
      for (int round = 1; round <= 3; round++) {
        assertThat(get(caches.begin(request(odd, "z", round))))
            .isInstanceOf(CacheReply.Granted.class);
        CacheReply.Busy busy = (CacheReply.Busy) get(other.caches().begin(request(odd, "b", 1)));
        assertThat(busy.leftMicros()).isBetween(1L, 10 * SECOND);
        get(caches.begin(request(odd, "a", 1)));
        get(caches.begin(request(odd, "a", 2)));
        if (round == 1) {
          assertThat(get(caches.fill(odd, "z", round, value("v")))).isTrue();
        } else if (round == 2) {
          get(caches.abandon(odd, "z", round));
        } else {
          get(caches.invalidate(odd, "z", 0));
        }
        int messages = 2 * round;
        await().atMost(AGES).until(() -> told.size() == messages);
        assertThat(told).containsOnly("a " + odd, "b " + odd);
        get(caches.invalidate(odd, "z", 0));
      }
      other.caches().unlistenForLoads("b");
      await().atMost(AGES).until(() -> server.call("PUBLISH", "sl:inbox:b", "load x:y").equals(0L));
      server.call("PUBLISH", "sl:inbox:a", "load");
      server.call("PUBLISH", "sl:inbox:a", "load x");
      server.call("PUBLISH", "sl:inbox:a", "load x:%");
      server.call("PUBLISH", "sl:inbox:a", "load x:y");
      await().atMost(AGES).until(() -> told.contains("a " + new CacheKey("x", "y")));
      assertThat(told).hasSize(7);
    }
  }

  @Test
  void whatIsNotOursIsReportedAndLeftAlone() {
    List<ThrowingCallable> onKey =
        List.of(
            () -> get(caches.begin(request(KEY, "a", 1))),
            () -> get(caches.keep(KEY, "a", 1, 1)),
            () -> get(caches.fill(KEY, "a", 1, value("x"))),
            () -> get(caches.abandon(KEY, "a", 1)),
            () -> get(caches.intend(KEY, "a", 1, HOUR)),
            () -> get(caches.invalidate(KEY, "a", 1)),
            () -> get(caches.put(KEY, value("x"))));
    for (String key : List.of(VALUE, GUARD)) {
      server.call("FLUSHALL");
      server.call("SADD", key, "x");
      onKey.forEach(call -> assertForeign(call, key, "holds a set"));
      server.call("SET", key, "something else\n");
      onKey.forEach(call -> assertForeign(call, key, "holds a text 'something else?'"));
      assertThat(server.call("GET", key)).isEqualTo("something else\n");
    }
    server.call("FLUSHALL");
    server.call("SADD", VALUE, "x");
    assertForeign(() -> get(caches.read(KEY)), VALUE, "holds a value of another type");
    server.call("SET", VALUE, "SLB\u0001 and so on");
    assertForeign(() -> get(caches.read(KEY)), VALUE, "holds a text 'SLB? and so on'");
    server.call("SET", "sl:{c}:tags", "x");
    server.call("SADD", "sl:{c}:tag:t", "x");
    server.call("SADD", "sl:{c}:log", "x");
    assertForeign(() -> get(caches.tagVersion("c")), "sl:{c}:tags", "text that is not a number");
    assertForeign(() -> get(caches.invalidateTag("c", "u", 1)), "sl:{c}:tags", "text 'x'");
    server.call("DEL", "sl:{c}:tags");
    assertForeign(() -> get(caches.invalidateTag("c", "t", 1)), "sl:{c}:tag:t", "set");
    assertForeign(() -> get(caches.invalidatedAt("c", List.of("t"))), "sl:{c}:tag:t", "type");
    assertForeign(() -> get(caches.append("c", "k")), "sl:{c}:log", "set");
    assertForeign(() -> get(caches.log("c", "1-1 k")), "sl:{c}:log", "type");
  }

  private static void assertForeign(ThrowingCallable call, String key, String what) {
    assertThatThrownBy(call)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining("'" + key + "'")
        .hasMessageContaining(what);
  }

  @Test
  void aValueOfALaterVersionIsAMissThatIsFilledAgain() {
    server.call("SET", VALUE, "SLC\u0002 whatever a later version writes here");
    assertThat(get(caches.read(KEY))).isNull();
    assertThat(get(caches.begin(request(KEY, "a", 1)))).isInstanceOf(CacheReply.Granted.class);
    assertThat(get(caches.fill(KEY, "a", 1, value("ours")))).isTrue();
    assertThat(get(caches.read(KEY)).bytes()).isEqualTo(bytes("ours"));
  }

  @Test
  void longValuesPassWhole() {
    byte[] large = new byte[40_000_000];
    new SplittableRandom(3).nextBytes(large);
    get(caches.begin(request(KEY, "a", 1)));
    assertThat(get(caches.fill(KEY, "a", 1, new CacheValue(large, HOUR, 0)))).isTrue();
    assertThat(get(caches.read(KEY)).bytes()).isEqualTo(large);
    CacheReply.Hit hit = (CacheReply.Hit) get(caches.begin(request(KEY, "a", 2)));
    assertThat(hit.entry().bytes()).isEqualTo(large);
  }

  @Test
  void longValuesObeyTheLeaseAndLeaveNothingBeside() {
    CacheValue longOne = new CacheValue(new byte[RedisCaches.LONG + 1], HOUR, 0);
    assertThat(get(caches.fill(KEY, "a", 1, longOne))).isFalse();
    assertThat(server.call("DBSIZE")).isEqualTo(0L);
    get(caches.intend(KEY, "a", 1, HOUR));
    get(caches.put(KEY, longOne));
    assertThat(server.call("KEYS", "*")).isEqualTo(List.of(GUARD));
    get(caches.invalidate(KEY, "a", 1));
    get(caches.put(KEY, value("short")));
    get(caches.begin(new CacheRequest(KEY, "a", 2, HOUR, Aim.REFRESH)));
    assertThat(get(caches.fill(KEY, "a", 2, longOne))).isTrue();
    assertThat(server.call("KEYS", "*")).isEqualTo(List.of(VALUE));
    assertThat((long) server.call("PTTL", VALUE)).isBetween(3_500_000L, 3_600_000L);
    CacheReply.Hit hit = (CacheReply.Hit) get(caches.begin(request(KEY, "b", 1)));
    assertThat(hit.entry().bytes()).hasSize(RedisCaches.LONG + 1);
    assertThat(hit.entry().leftMicros()).isBetween(HOUR - 60 * SECOND, HOUR);
    get(caches.begin(new CacheRequest(KEY, "a", 3, HOUR, Aim.REFRESH)));
    assertThat(get(caches.fill(KEY, "a", 3, new CacheValue(longOne.bytes(), 0, 0)))).isTrue();
    assertThat(server.call("DBSIZE")).isEqualTo(0L);
  }

  @Test
  void longValuesAreReadWholeWhileTheyChange() {
    AtomicBoolean over = new AtomicBoolean();
    int hits = 0;
    try (RedisBackend other = OpenedRedis.connect(server.uri(), SETTINGS)) {
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; !over.get(); i++) {
                  byte[] bytes = new byte[RedisCaches.LONG + 1 + i % 100];
                  Arrays.fill(bytes, (byte) (i % 100));
                  get(other.caches().put(KEY, value(bytes)));
                  if (i % 3 == 0) {
                    get(other.caches().invalidate(KEY, "w", 0));
                  }
                }
              });
      long end = System.nanoTime() + AGES.toNanos();
      for (int i = 0; hits < 200 && System.nanoTime() < end; i++) {
        if (get(caches.begin(request(KEY, "r", i))) instanceof CacheReply.Hit hit) {
          byte[] bytes = hit.entry().bytes();
          assertThat(bytes.length - 1 - RedisCaches.LONG).isEqualTo(bytes[0]);
          assertThat(bytes[bytes.length - 1]).isEqualTo(bytes[0]);
          hits++;
        }
      }
      over.set(true);
      get(writer);
    }
    assertThat(hits).isEqualTo(200);
  }

  @Test
  void aValueThatRedisCannotHoldIsRefusedBeforeItIsSent() {
    CacheValue tooLong = new CacheValue(new byte[(512 << 20) - 34], HOUR, 0);
    assertThatThrownBy(() -> caches.put(KEY, tooLong))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a value must be at most 536870877 bytes, which is 512 MB less its header: it has"
                + " 536870878");
    assertThat(server.call("DBSIZE")).isEqualTo(0L);
    StoredValue.checkSize(35, (512 << 20) - 35);
  }

  @Test
  void fullMemoryRefusesValuesAndNoInvalidation() {
    try (RedisServer own = RedisServer.start(server.binary());
        RedisBackend there = OpenedRedis.connect(own.uri(), SETTINGS)) {
      CacheBackend full = there.caches();
      CacheKey waiting = new CacheKey("c", "waiting");
      get(full.put(KEY, value("old")));
      get(full.begin(request(waiting, "a", 1)));
      Queue<CacheKey> told = new ConcurrentLinkedQueue<>();
      get(full.listenForLoads("b", told::add));
      get(full.begin(request(waiting, "b", 1)));
      own.call("CONFIG", "SET", "maxmemory", "1");
      assertThatThrownBy(() -> get(full.fill(waiting, "a", 1, value("x"))))
          .hasMessageContaining("OOM");
      await().atMost(AGES).until(() -> told.contains(waiting));
      assertThat(own.call("EXISTS", "sl:{c:waiting}:g")).isEqualTo(0L);
      for (CacheValue one : List.of(value("new"), value(new byte[RedisCaches.LONG + 1]))) {
        assertThatThrownBy(() -> get(full.put(KEY, one))).hasMessageContaining("OOM");
      }
      assertThat(get(full.read(KEY))).isNull();
      assertThat(get(full.intend(KEY, "a", 1, HOUR))).isFalse();
      assertThat(own.call("EXISTS", GUARD)).isEqualTo(1L);
      get(full.invalidate(KEY, "a", 1));
      assertThat(own.call("EXISTS", GUARD)).isEqualTo(0L);
    }
  }

  @Test
  void sentinelIsNotStrongAndOneServerIs() {
    assertThat(caches.whyNotStrong()).isNull();
    assertThat(Uris.whyNotStrong(RedisURI.create("redis-sentinel://h:1/#main")))
        .startsWith("Redis master 'main' by Sentinel at h:1 may forget answered invalidations");
  }

  @Test
  void whatIsSentAfterTheEndIsRefused() {
    backend.close();
    assertThatThrownBy(() -> get(caches.read(KEY)))
        .cause()
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> get(caches.clear("c")))
        .cause()
        .isInstanceOf(IllegalStateException.class);
  }
}
