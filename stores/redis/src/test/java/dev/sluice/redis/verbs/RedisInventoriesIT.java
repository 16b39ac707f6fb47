package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.ClaimResult.Outcome;
import dev.sluice.inventory.ClaimState;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.PlantedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.connection.Connector;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.ClaimsReply;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.InventoryBackend.Verdict;
import dev.sluice.spi.SaleTerms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Stocks as they stand in the server: bytes, lives, strangers, large batches, lost scripts. */
@EachRedis
class RedisInventoriesIT {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(30));
  private static final long NOW = 1_795_201_234_000_000L;
  private static final long NEVER = 253_402_300_799_000_000L;
  private static final long HOUR = TimeUnit.HOURS.toMicros(1);
  private static final long MONTH_MILLIS = TimeUnit.DAYS.toMillis(30);

  private final RedisServer server;
  private RedisBackend backend;

  RedisInventoriesIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void connect() {
    server.call("FLUSHALL");
    backend = OpenedRedis.connect(server.uri(), SETTINGS);
  }

  @AfterEach
  void disconnect() {
    backend.close();
  }

  private InventoryBackend stocks() {
    return backend.inventories();
  }

  private static SaleTerms terms(long epoch, long total, long hold, boolean drained) {
    return new SaleTerms(epoch, total, hold, drained, 0, NEVER);
  }

  private static List<ClaimRequest> of(String... claimants) {
    List<ClaimRequest> requests = new ArrayList<>();
    for (String claimant : claimants) {
      requests.add(new ClaimRequest(claimant, 1, "r"));
    }
    return requests;
  }

  private static List<ClaimRequest> many(int count) {
    List<ClaimRequest> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(new ClaimRequest("claimant-" + i, 1, "request-" + i));
    }
    return requests;
  }

  private static List<ClaimMark> marks(List<ClaimRow> rows) {
    return rows.stream().map(row -> new ClaimMark(row.claimant(), row.id())).toList();
  }

  @Test
  void everythingIsWrittenAsDocumented() {
    backend.close();
    backend = PlantedRedis.over(Connector.connect(server.uri(), SETTINGS), TwinIT::onVirtualTime);
    at(NOW);
    get(stocks().open("x{y}", new SaleTerms(3, 9, 60_000_000, true, NOW - 1, NEVER)));
    at(NOW + 256);
    get(stocks().claim("x{y}", List.of(new ClaimRequest("ann", 2, "r1"))));
    get(stocks().claim("x{y}", List.of(new ClaimRequest("bob", 1, "r2"))));
    assertThat(hex("GET", "stock"))
        .isEqualTo(
            bytes(
                "05 00 01 00 00000000000003 00000000000009 00000000000009 00000003938700",
                "006b0098d1 0f423f 3afff4417f 000000 0660b9dbda5981",
                "00000000000003 00000000000000 00000000000000 00000000000000",
                "00000000000002 00000000000000 00000000000002"));
    assertThat(claim("ann"))
        .isEqualTo(
            bytes(
                "01 00000002 0660b9dbda5980 0660b9dbda5980 0660b9dbda5980 00000000 00000000",
                "02 7231"));
    assertThat(server.call("XRANGE", key("drain"), "-", "+"))
        .isEqualTo(
            List.of(
                List.of("1795201234000256-0", List.of("c", "ann")),
                List.of("1795201234000257-0", List.of("c", "bob"))));

    List<ClaimRow> taken = get(stocks().take("x{y}", "c1", 9, HOUR));
    assertThat(claim("bob"))
        .isEqualTo(
            bytes(
                "01 00000001 0660b9dbda5981 0660b9dbda5980 0660b9dbda5981 00000000 00000001",
                "02 7232 6331"));
    get(stocks().settle("x{y}", "c1", marks(taken.subList(0, 1)), Verdict.WRITTEN, ""));
    get(stocks().settle("x{y}", "c1", marks(taken.subList(1, 2)), Verdict.DEAD_LETTER, "why"));
    assertThat(claim("ann"))
        .isEqualTo(
            bytes(
                "02 00000002 0660b9dbda5980 0660b9dbda5980 0660b9df6de080 00000000 00000001",
                "02 7231"));
    assertThat(claim("bob"))
        .isEqualTo(
            bytes(
                "06 00000001 0660b9dbda5981 0660b9dbda5980 00000000000000 00000000 00000001",
                "02 7232 776879"));
    assertThat(server.call("ZRANGE", key("due"), "0", "-1", "WITHSCORES"))
        .isEqualTo(List.of("ann", "1795201294000256"));
    assertThat(server.call("ZRANGE", key("aside"), "0", "-1", "WITHSCORES"))
        .isEqualTo(List.of("bob", "1795201234000257"));
    assertThat(server.call("XLEN", key("drain"))).isEqualTo(0L);
    assertThat((long) server.call("DBSIZE")).as("five keys and the clock").isEqualTo(7);
  }

  private void at(long now) {
    server.call(
        "MSET", "clock:seconds", "" + now / 1_000_000, "clock:micros", "" + now % 1_000_000);
  }

  private static String key(String part) {
    return "sl:{x%7By%7D}:" + part;
  }

  private Object claim(String claimant) {
    return hex("HGET", "claims", claimant);
  }

  private Object hex(String command, String part, String... arguments) {
    List<String> call = new ArrayList<>();
    Collections.addAll(
        call,
        "EVAL",
        "local text = redis.call('"
            + command
            + "', KEYS[1], unpack(ARGV))"
            + " return (string.gsub(text, '.', function(c)"
            + " return string.format('%02x', string.byte(c)) end))",
        "1",
        key(part));
    Collections.addAll(call, arguments);
    return server.call(call.toArray(String[]::new));
  }

  private static String bytes(String... parts) {
    return String.join("", parts).replace(" ", "");
  }

  @Test
  void claimsGoAMonthAfterTheLastOneWasSettledAndTheStockStays() {
    get(stocks().open("s", terms(1, 5, HOUR, true)));
    get(stocks().claim("s", of("ann", "bob")));
    assertThat(lives("s")).as("open").containsOnly(-1L);
    get(stocks().close("s", 1));
    assertThat(lives("s")).as("not settled").containsOnly(-1L);
    List<ClaimRow> taken = get(stocks().take("s", "c", 9, HOUR));
    get(stocks().settle("s", "c", marks(taken.subList(0, 1)), Verdict.REJECTED, ""));
    get(stocks().settle("s", "c", marks(taken.subList(1, 2)), Verdict.WRITTEN, ""));
    assertThat(lives("s")).as("held").containsOnly(-1L);
    assertThat(get(stocks().confirm("s", marks(taken).get(1)))).isEqualTo(ClaimState.CONFIRMED);
    assertThatClaimsGo();
    get(stocks().resize("s", 1, 6));
    assertThatClaimsGo();
    assertThat(get(stocks().open("s", terms(1, 5, HOUR, true))).info().open())
        .as("a sale that was closed")
        .isFalse();
    get(stocks().open("s", terms(2, 5, 0, false)));
    assertThat(lives("s")).as("the next sale").containsExactly(-1L);
  }

  private void assertThatClaimsGo() {
    List<Long> lives = lives("s");
    assertThat(lives).hasSize(3);
    assertThat(lives.get(0)).as("the stock").isEqualTo(-1L);
    assertThat(lives.subList(1, 3))
        .as("claims and queue")
        .allMatch(left -> left > MONTH_MILLIS - 60_000 && left <= MONTH_MILLIS);
  }

  /** Of those of its keys that there are, in milliseconds. */
  private List<Long> lives(String name) {
    List<Long> lives = new ArrayList<>();
    for (String part : List.of("stock", "claims", "due", "drain", "aside")) {
      long left = (long) server.call("PTTL", "sl:{" + name + "}:" + part);
      if (left != -2) {
        lives.add(left);
      }
    }
    return lives;
  }

  @Test
  void foreignDataIsReportedAndLeftAlone() {
    for (String value : List.of("text", "\u0005" + "x".repeat(90))) {
      server.call("SET", "sl:{f}:stock", value);
      assertForeign("stock", stocks().open("f", terms(1, 5, 0, true)));
      assertForeign("stock", stocks().claim("f", of("ann")));
      assertForeign("stock", stocks().look("f"));
      assertThat(server.call("GET", "sl:{f}:stock")).isEqualTo(value);
    }
    server.call("DEL", "sl:{f}:stock");
    for (String part : List.of("claims", "due", "drain", "aside")) {
      server.call("SET", "sl:{f}:" + part, "text");
      assertForeign(part, stocks().open("f", terms(1, 5, HOUR, true)));
      assertThat(server.call("EXISTS", "sl:{f}:stock")).isEqualTo(0L);
      server.call("DEL", "sl:{f}:" + part);
    }

    get(stocks().open("f", terms(1, 5, HOUR, true)));
    get(stocks().claim("f", of("ann", "bob")));
    List<ClaimRow> rows = get(stocks().take("f", "c", 9, HOUR));
    get(stocks().settle("f", "c", marks(rows).subList(0, 1), Verdict.WRITTEN, ""));
    String before = String.valueOf(get(stocks().look("f")).info());
    Map<String, CompletionStage<?>> asked = new LinkedHashMap<>();
    for (String part : List.of("claims", "due", "drain", "aside")) {
      String key = "sl:{f}:" + part;
      boolean was = server.call("EXISTS", key).equals(1L);
      if (was) {
        server.call("RENAME", key, "kept");
      }
      server.call("SET", key, "text");
      asked.clear();
      switch (part) {
        case "claims" -> asked.put("claim", stocks().claim("f", of("cid")));
        case "due" -> {
          asked.put("confirm", stocks().confirm("f", marks(rows).get(0)));
          asked.put("settle", stocks().settle("f", "c", marks(rows), Verdict.WRITTEN, ""));
        }
        case "drain" -> {
          asked.put("claim", stocks().claim("f", of("cid")));
          asked.put("take", stocks().take("f", "c", 1, 0));
          asked.put("settle", stocks().settle("f", "c", marks(rows), Verdict.WRITTEN, ""));
          asked.put("again", stocks().requeue("f", marks(rows)));
          asked.put("look", stocks().look("f"));
        }
        default ->
            asked.put("settle", stocks().settle("f", "c", marks(rows), Verdict.DEAD_LETTER, "why"));
      }
      asked.forEach((verb, stage) -> assertForeign(part, stage));
      assertThat(server.call("GET", key)).isEqualTo("text");
      server.call("DEL", key);
      if (was) {
        server.call("RENAME", "kept", key);
      }
    }
    String after = String.valueOf(get(stocks().look("f")).info());
    assertThat(withoutLag(after)).isEqualTo(withoutLag(before));

    server.call("HSET", "sl:{f}:claims", "ann", "text");
    assertForeign("claims", stocks().find("f", "ann"));
    assertForeign("claims", stocks().claim("f", of("bob", "ann")));
    assertForeign("claims", stocks().page("f", "", 10));
  }

  private static String withoutLag(String figures) {
    return figures.replaceAll("lag=.*", "");
  }

  private static void assertForeign(String part, CompletionStage<?> asked) {
    assertThatThrownBy(() -> get(asked))
        .as(part)
        .cause()
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining("'sl:{f}:" + part + "'");
  }

  @Test
  void aBatchAndEveryStepMayBeAsLargeAsTheyMay() {
    get(stocks().open("big", terms(1, 1000, 1000, false)));
    List<ClaimRequest> all = many(InventoryBackend.MAX_BATCH);
    ClaimsReply claimed = get(stocks().claim("big", all));
    assertThat(claimed.results()).allMatch(one -> one.outcome() == Outcome.ACCEPTED);
    assertThat(claimed.results().stream().map(ClaimResult::claimId).distinct()).hasSize(1000);
    assertThat(claimed.left()).isZero();
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> get(stocks().look("big")).info().left() == 1000);
    assertThat(get(stocks().look("big")).info().returned()).isEqualTo(1000);

    get(stocks().open("long", terms(1, 3000, 0, true)));
    String longest = "ü".repeat(250);
    List<ClaimRequest> longs =
        all.stream()
            .map(one -> new ClaimRequest(longest + one.requestId(), 1, "x".repeat(128)))
            .toList();
    get(stocks().claim("long", longs));
    get(stocks().claim("long", all));
    List<ClaimRow> taken = get(stocks().take("long", "c", 1000, 0));
    assertThat(taken)
        .extracting(ClaimRow::claimant)
        .startsWith(longest + "request-0")
        .hasSize(1000);
    String reason = "because of ü";
    assertThat(get(stocks().settle("long", "c", marks(taken), Verdict.DEAD_LETTER, reason)))
        .isEqualTo(1000);
    List<ClaimRow> rest = get(stocks().take("long", "c", 1000, 0));
    assertThat(get(stocks().settle("long", "c", marks(rest), Verdict.DEAD_LETTER, reason)))
        .isEqualTo(1000);
    List<InventoryBackend.DeadLetterRow> aside = get(stocks().deadLetters("long", 10_000));
    assertThat(aside).hasSize(2000).allMatch(row -> row.reason().equals(reason));
    assertThat(get(stocks().requeue("long", marks(rest)))).isEqualTo(1000);
    assertThat(get(stocks().look("long")).info().waiting()).isEqualTo(1000);
    List<ClaimRow> pages = new ArrayList<>();
    String after = "";
    do {
      var page = get(stocks().page("long", after, 100));
      pages.addAll(page.rows());
      after = page.next();
    } while (!after.isEmpty());
    assertThat(pages.stream().map(ClaimRow::claimant).distinct()).hasSize(2000);
  }

  @Test
  void scriptsThatWereFlushedAreSentAgain() {
    get(stocks().open("x", terms(1, 100, HOUR, true)));
    for (int i = 0; i < 3; i++) {
      server.call("SCRIPT", "FLUSH");
      get(stocks().claim("x", of("ann-" + i)));
      List<ClaimRow> taken = get(stocks().take("x", "c", 9, HOUR));
      assertThat(taken).hasSize(1);
      server.call("SCRIPT", "FLUSH");
      assertThat(get(stocks().settle("x", "c", marks(taken), Verdict.WRITTEN, ""))).isEqualTo(1);
    }
    assertThat(get(stocks().look("x")).info().held()).isEqualTo(3);
  }

  @Test
  void aFullServerRefusesClaimsAndTakesUnitsBack() {
    get(stocks().open("full", terms(1, 9, HOUR, false)));
    ClaimsReply claimed = get(stocks().claim("full", of("ann", "bob")));
    get(stocks().find("full", "ann"));
    server.call("CONFIG", "SET", "maxmemory", "1");
    try {
      assertThatThrownBy(() -> get(stocks().claim("full", of("cid"))))
          .cause()
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("OOM");
      ClaimMark ann = new ClaimMark("ann", claimed.results().get(0).claimId());
      ClaimMark bob = new ClaimMark("bob", claimed.results().get(1).claimId());
      assertThat(get(stocks().cancel("full", ann))).isEqualTo(ClaimState.CANCELLED);
      assertThat(get(stocks().confirm("full", bob))).isEqualTo(ClaimState.CONFIRMED);
    } finally {
      server.call("CONFIG", "SET", "maxmemory", "0");
    }
    assertThat(get(stocks().look("full")).info().left()).isEqualTo(8);
    assertThat(server.call("ZCARD", "sl:{full}:due")).isEqualTo(0L);
  }

  @Test
  void consumersThatAreGoneAreForgotten() {
    backend.close();
    UnaryOperator<String> atOnce = text -> text.replace("IDLE = 3600000", "IDLE = -1");
    backend = PlantedRedis.over(Connector.connect(server.uri(), SETTINGS), atOnce);
    get(stocks().open("x", terms(1, 9, HOUR, true)));
    get(stocks().claim("x", of("ann", "bob")));
    List<ClaimRow> taken = get(stocks().take("x", "gone", 1, HOUR));
    get(stocks().take("x", "busy", 1, HOUR));
    get(stocks().settle("x", "gone", marks(taken), Verdict.WRITTEN, ""));
    get(stocks().open("x", terms(1, 9, HOUR, true)));
    assertThat(String.valueOf(server.call("XINFO", "CONSUMERS", "sl:{x}:drain", "drain")))
        .contains("busy")
        .doesNotContain("gone");
  }

  @Test
  void anEntryThatSomebodyAddedOrDeletedIsPassedOver() {
    get(stocks().open("x", terms(1, 9, 0, true)));
    get(stocks().claim("x", of("ann", "bob", "cid")));
    List<ClaimRow> taken = get(stocks().take("x", "c", 1, HOUR));
    server.call("XDEL", "sl:{x}:drain", taken.get(0).id() + "-0");
    server.call("XADD", "sl:{x}:drain", "*", "c", "bob");
    server.call("XADD", "sl:{x}:drain", "*", "c", "nobody");
    List<ClaimRow> rest = get(stocks().take("x", "d", 9, 0));
    assertThat(rest).extracting(ClaimRow::claimant).containsExactly("bob", "cid");
    assertThat(server.call("XLEN", "sl:{x}:drain")).isEqualTo(2L);
    get(stocks().settle("x", "d", marks(rest), Verdict.WRITTEN, ""));
    assertThat(get(stocks().settle("x", "c", marks(taken), Verdict.WRITTEN, ""))).isEqualTo(1);
    assertThat(get(stocks().look("x")).info().confirmed()).isEqualTo(3);
    assertThat(server.call("XLEN", "sl:{x}:drain")).isEqualTo(0L);
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
