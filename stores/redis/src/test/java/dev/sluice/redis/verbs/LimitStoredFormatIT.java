package dev.sluice.redis.verbs;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Settlement;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.SettleRequest;
import dev.sluice.spi.ThrottleRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The keys of limits that docs/stored-formats.md documents; the bytes are in LimitFormatTest. */
@EachRedis
class LimitStoredFormatIT {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final String KEY = "sl:{api:user/123}:l1";

  private final RedisServer server;
  private RedisBackend backend;

  LimitStoredFormatIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void connect() {
    server.call("FLUSHALL");
    backend = OpenedRedis.connect(server.uri(), new BackendSettings(Duration.ofSeconds(20)));
  }

  @AfterEach
  void disconnect() {
    backend.close();
  }

  @Test
  void tiersOfAKeyHaveKeysOfTheirOwn() {
    take("api:v1", Limit.gcra(5, HOUR), Limit.fixedWindow(5, HOUR).name("day"));
    assertThat(keys())
        .containsExactlyInAnyOrder("sl:{api%3Av1:user/123}:l1", "sl:{api%3Av1:user/123}:l:day");
  }

  @Test
  void aSharedTierBringsTheOthersToItsSlot() {
    take("api", Limit.gcra(5, HOUR), Limit.slidingLog(5, HOUR).name("all").shared());
    assertThat(keys()).containsExactlyInAnyOrder("sl:{api}:l1:user/123", "sl:{api}:l:all");
  }

  @Test
  void aSettledUseHasAKeyUntilItsTimeIsOver() {
    Limit limit = Limit.gcra(50, HOUR);
    begin("api", limit).settle("me-1", 3);
    assertThat(keys()).containsExactlyInAnyOrder(KEY, "sl:{api:user/123}:u:me-1");
    assertThat(server.call("GET", "sl:{api:user/123}:u:me-1")).isEqualTo("1");
    assertExpiry(1, "sl:{api:user/123}:u:me-1");
    assertThat(server.call("STRLEN", KEY)).isEqualTo(51L);
    server.call("FLUSHALL");
    begin("api", limit, Limit.slidingLog(5, HOUR).name("all").shared()).settle("me-2", 3);
    assertThat(keys())
        .containsExactlyInAnyOrder("sl:{api}:l1:user/123", "sl:{api}:l:all", "sl:{api}:u:me-2");
  }

  /** What docs/operations.md says, for an id as clients make it; one server is older. */
  @Test
  void aSettledUseCostsAHundredBytesOrSo() {
    String id = "0123456789abcdefghijkl-12345";
    begin("api", Limit.gcra(50, HOUR)).settle(id, 3);
    assertThat(server.call("MEMORY", "USAGE", "sl:{api:user/123}:u:" + id))
        .asInstanceOf(LONG)
        .isBetween(80L, 150L);
  }

  @Test
  void whoNeverSettlesPaysNothing() {
    Limit limit = Limit.gcra(5, HOUR);
    take("api", limit);
    assertThat(keys()).containsExactly(KEY);
    assertThat(server.call("STRLEN", KEY)).asInstanceOf(LONG).isBetween(16L, 19L);
  }

  private interface Begun {
    void settle(String id, long actual);
  }

  private Begun begin(String limiter, Limit... limits) {
    List<LimitRule> rules = LimitRule.of(List.of(limits), 0, CarryOver.KEEP, 0);
    LimitRequest request =
        new LimitRequest(LimitRequest.Verb.BEGIN, limiter, "user/123", rules, 1, 1, 0, 0);
    long at = join(backend.limits().decide(request)).at();
    return (id, actual) ->
        assertThat(
                join(
                    backend
                        .limits()
                        .settle(
                            new SettleRequest(
                                limiter,
                                "user/123",
                                rules,
                                id,
                                1,
                                actual,
                                false,
                                at,
                                HOUR.toMillis() * 1000))))
            .isEqualTo(Settlement.COUNTED);
  }

  @Test
  void aQueueHasTwoKeysWhileSomebodyWaits() {
    long interval = HOUR.toSeconds() * 1_000_000;
    for (int ticket = 1; ticket <= 2; ticket++) {
      QueueRequest request =
          new QueueRequest("api", "user/123", "client", ticket, 1, interval, 5, interval);
      assertThat(join(backend.limits().enter(request)).admitted()).isTrue();
    }
    assertThat(keys()).containsExactlyInAnyOrder("sl:{api:user/123}:q", "sl:{api:user/123}:turns");
    assertThat(server.call("GET", "sl:{api:user/123}:q"))
        .asInstanceOf(STRING)
        .matches("\\d{16} \\d{16} 0");
    assertThat(server.call("ZRANGE", "sl:{api:user/123}:turns", "0", "-1"))
        .isEqualTo(List.of("client 2 " + interval));
    assertExpiry(2, "sl:{api:user/123}:q");
    assertExpiry(2, "sl:{api:user/123}:turns");
  }

  @Test
  void throttleKeepsOneTime() {
    join(backend.limits().throttle("user/123", ThrottleRequest.of(15, 30, 60, 1)));
    assertThat(keys()).containsExactly("sl:{user/123}:throttle");
    assertThat(server.call("GET", "sl:{user/123}:throttle"))
        .asInstanceOf(STRING)
        .matches("\\d{16}");
    assertThat(server.call("PTTL", "sl:{user/123}:throttle"))
        .asInstanceOf(LONG)
        .isBetween(1L, 3000L);
  }

  @Test
  void memoryPerKeyIsAsDocumented() {
    assertMemory(72, Limit.gcra(1000, HOUR));
    assertMemory(120, Limit.fixedWindow(1000, HOUR));
    assertMemory(120, Limit.expiringWindow(1000, HOUR));
    assertMemory(184, Limit.slidingWindow(1000, HOUR));
    assertMemory(456, Limit.slidingWindow(1000, HOUR).slots(60));
  }

  @Test
  void aLogCostsAtMostTwiceItsEntries() {
    for (int i = 0; i < 100; i++) {
      take("api", Limit.slidingLog(1000, HOUR));
    }
    assertThat(server.call("STRLEN", KEY)).asInstanceOf(LONG).isBetween(60L, 1050L);
    assertThat(server.call("MEMORY", "USAGE", KEY)).asInstanceOf(LONG).isLessThan(2 * 1050 + 100);
  }

  /** A little room, since one server is older than the one of the numbers. */
  private void assertMemory(long documented, Limit limit) {
    server.call("FLUSHALL");
    take("api", limit);
    assertThat(server.call("MEMORY", "USAGE", KEY))
        .as(limit.toString())
        .asInstanceOf(LONG)
        .isBetween(documented - 24, documented + 24);
  }

  @Test
  void everyKeyExpiresOnceItIsFull() {
    for (Limit limit :
        List.of(
            Limit.gcra(5, HOUR),
            Limit.fixedWindow(5, HOUR),
            Limit.expiringWindow(5, HOUR),
            Limit.slidingLog(5, HOUR),
            Limit.slidingWindow(5, HOUR))) {
      server.call("FLUSHALL");
      take("api", limit);
      assertExpiry(1.1, KEY); // an hour, or a slot more
      server.call("PERSIST", KEY);
      take("api", limit);
      assertExpiry(1.1, KEY);
    }
  }

  private void assertExpiry(double hours, String key) {
    assertThat(server.call("PTTL", key))
        .asInstanceOf(LONG)
        .isBetween(1L, (long) (hours * HOUR.toMillis()) + 1000);
  }

  private void take(String limiter, Limit... limits) {
    List<LimitRule> rules = LimitRule.of(List.of(limits), 0, CarryOver.KEEP, 0);
    LimitRequest request =
        new LimitRequest(LimitRequest.Verb.TAKE, limiter, "user/123", rules, 1, 1, 0, 0);
    assertThat(join(backend.limits().decide(request)).granted()).isEqualTo(1);
  }

  private List<String> keys() {
    return ((List<?>) server.call("KEYS", "*")).stream().map(String::valueOf).toList();
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, SECONDS).join();
  }
}
