package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.PlantedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.connection.Connector;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockProtocol;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The bytes at the server that docs/stored-formats.md documents. */
@EachRedis
class StoredFormatIT {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(10));
  private static final String CLIENT = "AbCdEfGhIjKlMnOpQrStUv";
  private static final long NOW = 1_795_201_234_000_000L;

  private final RedisServer server;
  private RedisBackend backend;

  StoredFormatIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void connect() {
    server.call("FLUSHALL");
  }

  @AfterEach
  void disconnect() {
    backend.close();
  }

  @Test
  void everyStateIsWrittenAsDocumented() {
    backend = PlantedRedis.over(Connector.connect(server.uri(), SETTINGS), TwinIT::onVirtualTime);
    at(NOW);
    acquire("a", 1, 30_000_000, 1, false);
    assertThat(lock())
        .isEqualTo(
            bytes(
                "06 0660b9dbda5880 00000001 00 00000000 00000000000000 00000000000000 01 2d"
                    + " 00000001",
                "00000000000001 0660b9dbda5880 0001 00000001 0660b9dda41c00 00000001c9c380",
                "0660b9dbda5880 48 01 61"));
    assertThat(pttl("lock")).isBetween(80_000L, 90_000L);

    at(NOW + 1_000_000);
    acquire("b", 7, 20_000_000, 64, true);
    assertThat(lock())
        .isEqualTo(
            bytes(
                "06 0660b9dbda5880 00000001 01 00000000 00000000000000 00000000000000 01 2d"
                    + " 00000001",
                "00000000000001 0660b9dbda5880 0001 00000001 0660b9dda41c00 00000001c9c380",
                "0660b9dbda5880 57 01 61"));
    assertThat(server.call("ZRANGE", key("queue"), "0", "-1", "WITHSCORES"))
        .isEqualTo(List.of("b", "1795201235000000"));
    assertThat(server.call("HGETALL", key("tickets")))
        .isEqualTo(List.of("b", "7 20000000 64 1 1 1795201236500000"));
    assertThat(pttl("queue")).isBetween(1L, 3_000L);
    assertThat(pttl("tickets")).isBetween(1L, 3_000L);

    at(NOW + 1_200_000);
    join(backend.locks().release(new GrantAttempt.Id("x", "a", 1), 0));
    assertThat(lock())
        .isEqualTo(
            bytes(
                "06 0660b9dbeca83f 00000001 00 00000000 00000000000001 0660b9dbeca800 01 61"
                    + " 00000001",
                "00000000000007 0660b9dbeca800 0040 00000001 0660b9dbfbea40 00000001312d00",
                "0660b9dbeca800 50 01 62"));
    assertThat(server.call("EXISTS", key("queue"), key("tickets"), key("over"))).isEqualTo(0L);

    at(NOW + 1_300_000);
    acquire("b", 7, 20_000_000, 64, true);
    join(backend.locks().release(new GrantAttempt.Id("x", "b", 7), 0));
    assertThat(lock())
        .isEqualTo(
            bytes("05 0660b9dbeca83f 00000001 00 00000040 00000000000007 0660b9dbee2ea0 01 62"));
    assertThat(server.call("HGETALL", key("over"))).isEqualTo(List.of("a", "1 1795201235200000"));
    assertThat(pttl("over")).isBetween(50_000L, 60_000L);
  }

  @Test
  void anIdleNameCostsAtMost200BytesAndNothingAfterTheRetention() {
    backend = OpenedRedis.connect(server.uri(), SETTINGS);
    join(
        backend
            .locks()
            .acquire(new GrantRequest("orders/4711", CLIENT, 123_456, 30_000_000, 1, false)));
    join(backend.locks().release(new GrantAttempt.Id("orders/4711", CLIENT, 123_456), 0));
    assertThat(server.call("KEYS", "*")).isEqualTo(List.of("sl:{orders/4711}:lock"));
    Object bytes = server.call("MEMORY", "USAGE", "sl:{orders/4711}:lock");
    assertThat((Long) bytes).isLessThanOrEqualTo(200);
    Object left = server.call("PTTL", "sl:{orders/4711}:lock");
    assertThat((Long) left).isBetween(1L, LockProtocol.RETENTION_MICROS / 1000);
  }

  @Test
  void anIdleNameThatTwoClientsUsedCostsTheSecondKey() {
    backend = OpenedRedis.connect(server.uri(), SETTINGS);
    String name = "orders/4711";
    for (String one : List.of(CLIENT, CLIENT.toLowerCase(Locale.ROOT))) {
      join(backend.locks().acquire(new GrantRequest(name, one, 123_456, 30_000_000, 1, true)));
      join(backend.locks().release(new GrantAttempt.Id(name, one, 123_456), 0));
    }
    assertThat((List<?>) server.call("KEYS", "*")).hasSize(2);
    Object lock = server.call("MEMORY", "USAGE", "sl:{" + name + "}:lock");
    Object over = server.call("MEMORY", "USAGE", "sl:{" + name + "}:over");
    assertThat((Long) lock + (Long) over).isLessThanOrEqualTo(340);
  }

  @Test
  void whateverWasDoneEveryKeyGoesAfterTheRetention() {
    backend = OpenedRedis.connect(server.uri(), SETTINGS);
    for (String one : List.of("a", "b", "c")) {
      acquire(one, 1, 30_000_000, LockProtocol.MAX_BLOCK, true);
    }
    for (String one : List.of("c", "a", "b")) {
      join(backend.locks().release(new GrantAttempt.Id("x", one, 1), 0));
    }
    acquire("a", 2, 30_000_000, LockProtocol.MAX_BLOCK, true);
    join(backend.locks().release(new GrantAttempt.Id("x", "a", 2), 0));
    List<?> keys = (List<?>) server.call("KEYS", "*");
    assertThat(keys).hasSize(2);
    for (Object key : keys) {
      assertThat((Long) server.call("PTTL", String.valueOf(key))).isBetween(1L, 60_100L);
    }
  }

  @Test
  void grantsAndTicketsOfPermitsAreWrittenAsDocumented() {
    backend = PlantedRedis.over(Connector.connect(server.uri(), SETTINGS), TwinIT::onVirtualTime);
    at(NOW);
    permit("a", 1, 3, false);
    at(NOW + 1_000_000);
    permit("b", 7, 2, false);
    assertThat(hex("permits"))
        .isEqualTo(
            bytes(
                "06 0660b9dbda5880 00000004 01 00000000 00000000000000 00000000000000 01 2d"
                    + " 00000001",
                "00000000000001 0660b9dbda5880 0001 00000003 0660b9dda41c00 00000001c9c380",
                "0660b9dbda5880 57 01 61"));
    permit("c", 9, 4, true);
    assertThat(server.call("ZRANGE", key("permit-queue"), "0", "-1", "WITHSCORES"))
        .isEqualTo(List.of("c", "-7211998019740992", "b", "1795201235000000"));
    assertThat(server.call("HGET", key("permit-tickets"), "b"))
        .isEqualTo("7 30000000 1 2 2 1795201236500000");
    assertThat(pttl("permits")).isBetween(80_000L, 90_000L);
    assertThat(pttl("permit-queue")).isBetween(1L, 3_000L);
    assertThat(pttl("permit-tickets")).isBetween(1L, 3_000L);
    join(backend.permits().release(new GrantAttempt.Id("x", "c", 9), 0));
    join(backend.permits().release(new GrantAttempt.Id("x", "a", 1), 0));
    join(backend.permits().release(new GrantAttempt.Id("x", "b", 7), 0));
    assertThat(server.call("EXISTS", key("permit-queue"), key("permit-tickets"))).isEqualTo(0L);
    assertThat(pttl("permits")).isBetween(1L, 61_100L);
    assertThat(pttl("permit-over")).isBetween(1L, 60_000L);
  }

  private void permit(String client, long attempt, int units, boolean first) {
    join(
        backend
            .permits()
            .acquire(
                new GrantRequest(
                    "x", client, attempt, 30_000_000, 4, units, units, first, 1, true)));
  }

  @Test
  void anUncontendedPairIsTwoCommandsAndEightExecuted() {
    backend = OpenedRedis.connect(server.uri(), SETTINGS);
    pair(1); // the scripts get to the server
    server.call("CONFIG", "RESETSTAT");
    long pairs = 10;
    for (int i = 2; i < 2 + pairs; i++) {
      pair(i);
    }
    String stats = String.valueOf(server.call("INFO", "commandstats"));
    assertThat(calls(stats, "evalsha")).isEqualTo(2 * pairs);
    assertThat(calls(stats, "time")).isEqualTo(2 * pairs);
    assertThat(calls(stats, "get")).isEqualTo(2 * pairs);
    assertThat(calls(stats, "set")).isEqualTo(2 * pairs);
    assertThat(executed(stats)).isEqualTo(8 * pairs);
  }

  @Test
  void manyShortLivedClientsDoNotPileUp() {
    backend = PlantedRedis.over(Connector.connect(server.uri(), SETTINGS), TwinIT::onVirtualTime);
    long now = NOW;
    for (int i = 0; i < 2000; i++) {
      now += 1_000_000; // 120 clients in twice the retention
      at(now);
      acquire("client-" + i, 1, 1_000_000, 1, false);
      join(backend.locks().release(new GrantAttempt.Id("x", "client-" + i, 1), 0));
    }
    assertThat((Long) server.call("HLEN", key("over"))).isLessThan(400);
  }

  private void pair(long attempt) {
    join(backend.locks().acquire(new GrantRequest("x", CLIENT, attempt, 30_000_000, 1, false)));
    join(backend.locks().release(new GrantAttempt.Id("x", CLIENT, attempt), 0));
  }

  private static long calls(String stats, String command) {
    Matcher matcher = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)").matcher(stats);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  /** All but what the observer itself sent. */
  private static long executed(String stats) {
    UnaryOperator<String> other =
        text -> text.replaceAll("cmdstat_(config|info|config\\|resetstat):", "ignored:");
    Matcher matcher = Pattern.compile("cmdstat_[^:]+:calls=(\\d+)").matcher(other.apply(stats));
    long sum = 0;
    while (matcher.find()) {
      sum += Long.parseLong(matcher.group(1));
    }
    return sum;
  }

  private void at(long now) {
    server.call(
        "MSET", "clock:seconds", "" + now / 1_000_000, "clock:micros", "" + now % 1_000_000);
  }

  private void acquire(String client, long attempt, long ttl, int block, boolean queue) {
    join(backend.locks().acquire(new GrantRequest("x", client, attempt, ttl, block, queue)));
  }

  /** The stored string in hexadecimal. */
  private Object lock() {
    return hex("lock");
  }

  private Object hex(String suffix) {
    String hex =
        "local text = redis.call('GET', KEYS[1])"
            + " return (string.gsub(text, '.', function(c)"
            + " return string.format('%02x', string.byte(c)) end))";
    return server.call("EVAL", hex, "1", key(suffix));
  }

  private static String bytes(String... parts) {
    return String.join("", parts).replace(" ", "");
  }

  private long pttl(String part) {
    Object millis = server.call("PTTL", key(part));
    return (Long) millis;
  }

  private static String key(String part) {
    return "sl:{x}:" + part;
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }
}
