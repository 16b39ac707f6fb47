package dev.sluice.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.console.fleet.PresenceBoards;
import dev.sluice.console.http.ConsoleRequest;
import dev.sluice.console.http.ConsoleResponse;
import dev.sluice.console.http.Json;
import dev.sluice.console.http.Sessions;
import dev.sluice.console.store.View;
import dev.sluice.console.store.Watchers;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.Sale;
import dev.sluice.lock.Lease;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes, who may look, who may change, and what bad input is told. */
class ConsoleTest {
  private static final String TOKEN = "a-token-of-24-characters";

  private MemoryBackend store = new MemoryBackend();
  private Sluice sluice;
  private Console console;
  private Console writing;
  private Console guarded;

  @BeforeEach
  void open() {
    sluice = Sluice.builder().backend(store).build();
    console = Console.builder(sluice).build();
    writing = Console.builder(sluice).writes(true).build();
    guarded = Console.builder(sluice).token(TOKEN).writes(true).build();
  }

  @AfterEach
  void close() {
    sluice.close();
  }

  private static void assertRefused(ConsoleResponse response, int status, String code) {
    assertThat(response.status()).as(Asked.text(response)).isEqualTo(status);
    assertThat(Asked.json(response)).containsEntry("error", code).containsKey("message");
    assertThat(response.headers()).containsEntry("Cache-Control", "no-store");
  }

  // ---- routes ----

  @ParameterizedTest
  @ValueSource(
      strings = {"overview", "locks", "limiters", "filters", "caches", "inventory", "events"})
  void everyPageHasItsFigures(String page) {
    ConsoleResponse response = Asked.get("/api/" + page).of(console);

    assertThat(response.status()).isEqualTo(200);
    assertThat(response.headers())
        .containsEntry("Content-Type", "application/json")
        .containsEntry("Cache-Control", "no-store");
    assertThat(Asked.json(response))
        .containsEntry("page", page)
        .containsEntry("reachable", true)
        .containsEntry("store", sluice.describe());
  }

  @Test
  void locksAreShownWithHolderTokenAndTime() {
    try (Lease lease = sluice.lock("orders/42").tryAcquire().orElseThrow()) {
      Map<String, Object> page = Asked.json(Asked.get("/api/locks").of(console));

      Map<String, Object> lock = Json.objects(page, "locks", 10).get(0);
      assertThat(lock)
          .containsEntry("name", "orders/42")
          .containsEntry("held", true)
          .containsEntry("client", sluice.clientId())
          .containsEntry("token", lease.token())
          .containsEntry("waiting", 0);
      assertThat(Json.count(lock, "remaining")).isBetween(1L, 30_000L);
    }
  }

  @Test
  void stocksAreShownWithWhatIsLeftAndInFlight() {
    Inventory stock = sluice.inventory("sku-1");
    stock.open(Sale.epoch(3).total(10).drained());
    stock.claim("alice", 4, "request-1");
    Map<String, Object> page = Asked.json(Asked.get("/api/inventory").of(console));

    assertThat(page).containsEntry("known", true).containsEntry("more", false);
    assertThat(Json.objects(page, "inventories", 10))
        .singleElement()
        .satisfies(
            row ->
                assertThat(row)
                    .containsEntry("name", "sku-1")
                    .containsEntry("epoch", 3)
                    .containsEntry("open", true)
                    .containsEntry("total", 10)
                    .containsEntry("left", 6)
                    .containsEntry("queued", 4)
                    .containsEntry("waiting", 1));
  }

  private Map<String, Object> locks(String query) {
    return Asked.json(Asked.get("/api/locks" + query).of(console));
  }

  private static List<Object> names(Map<String, Object> page) {
    return Json.objects(page, "locks", 1000).stream().map(row -> row.get("name")).toList();
  }

  /** The one that somebody waits for is the last by its name, and the one to look at. */
  @Test
  void contentionIsSeenAmongThousands() throws Exception {
    close();
    // no lease and no waiter runs out, however long each look takes
    store = new MemoryBackend(new ManualTime()::storeMicros);
    open();
    for (int i = 0; i < 3_000; i++) {
      assertThat(sluice.lock("many/%04d".formatted(i)).tryAcquire()).isPresent();
    }
    assertThat(sluice.lock("zoo").tryAcquire()).isPresent();
    Sluice other = Sluice.builder().backend(store).build();
    other.lock("zoo").async().acquire(Duration.ofHours(1));
    await().atMost(Duration.ofSeconds(30)).until(() -> Json.count(locks(""), "all") == 3_001);

    Map<String, Object> first = locks("");
    assertThat(first).containsEntry("found", 3_001).containsEntry("more", false);
    assertThat(names(first)).hasSize(View.ROWS).startsWith("zoo", "many/0000");
    assertThat(Json.objects(first, "locks", 1).get(0)).containsEntry("waiting", 1);
    Map<String, Object> overview = Asked.json(Asked.get("/api/overview").of(console));
    assertThat(overview.get("series"))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("locks.held", 3001.0)
        .containsEntry("locks.waiting", 1.0);

    assertThat(names(locks("?sort=name&from=50"))).startsWith("many/0050").hasSize(View.ROWS);
    assertThat(names(locks("?sort=name&down=true&rows=2"))).containsExactly("zoo", "many/2999");
    assertThat(names(locks("?find=MANY/12&rows=200"))).hasSize(100).contains("many/1234");
    assertThat(names(locks("?sort=name&from=999999&rows=200"))).hasSize(1).containsExactly("zoo");
    assertThat(names(locks("?sort=noSuchField&rows=1"))).containsExactly("many/0000");
    assertThat(locks("?find=nothing")).containsEntry("found", 0).containsEntry("all", 3_001);
    other.close();
  }

  @Test
  void oneLockIsFoundByItsName() {
    assertThat(Asked.json(Asked.get("/api/lock?name=a%20b%2F%E9%94%81").of(console)))
        .containsEntry("name", "a b/锁")
        .containsEntry("held", false);
  }

  @Test
  void filesComeWithATagAndAreNotSentTwice() {
    ConsoleResponse first = Asked.get("/").of(console);

    assertThat(first.status()).isEqualTo(200);
    assertThat(first.headers()).containsEntry("Content-Type", "text/html; charset=utf-8");
    assertThat(Asked.text(first)).contains("app/main.js");
    String tag = first.headers().get("ETag");
    ConsoleResponse again = Asked.get("/").header("If-None-Match", tag).of(console);
    assertThat(again.status()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/x",
        "/../pom.xml",
        "/app/../../Console.class",
        "/app/",
        "/i18n/de.json",
        "/api/",
        "/api/nothing",
        "//"
      })
  void whatIsNotThereIsNotFound(String path) {
    assertRefused(Asked.get(path).of(console), 404, "no-such-path");
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /, wrong-method",
    "DELETE, /api/locks, wrong-method",
    "GET, /api/locks/release, wrong-method",
    "GET, /api/login, wrong-method",
    "PUT, /api/limiters/change, wrong-method"
  })
  void otherMethodsAreRefused(String method, String path, String code) {
    assertRefused(Asked.of(method, path).of(console), 405, code);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/api/locks", "/api/session", "/nowhere", "/style.css"})
  void everyAnswerHasTheSafetyHeaders(String path) {
    assertThat(Asked.get(path).of(console).headers())
        .containsEntry("X-Content-Type-Options", "nosniff")
        .containsEntry("X-Frame-Options", "DENY")
        .containsEntry("Referrer-Policy", "no-referrer")
        .hasEntrySatisfying(
            "Content-Security-Policy",
            policy ->
                assertThat(policy)
                    .startsWith("default-src 'self';")
                    .contains("frame-ancestors 'none'")
                    .doesNotContain("unsafe"));
  }

  // ---- who may look ----

  /** As a proxy on this machine sends it, with or without a word of whom it stands for. */
  @ParameterizedTest
  @ValueSource(strings = {"", "X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"})
  void comingFromThisMachineIsNoToken(String header) {
    for (Console each : List.of(console, writing)) {
      Asked session = Asked.get("/api/session").header("Host", "localhost");
      assertThat(Asked.json(session.header(header, "127.0.0.1").unsigned(each)))
          .containsEntry("signedIn", false)
          .containsEntry("writes", false);
      assertRefused(
          Asked.get("/api/locks").header(header, "127.0.0.1").unsigned(each), 401, "sign-in");
      assertRefused(
          Asked.post("/api/examine", "{}").header(header, "127.0.0.1").unsigned(each),
          401,
          "sign-in");
    }
  }

  @Test
  void aTokenIsMadeForEachConsoleThatHasNone() {
    String made = console.madeToken().orElseThrow();
    assertThat(Console.checkToken(made)).hasSize(32);
    assertThat(writing.madeToken()).get().isNotEqualTo(made);
    assertThat(guarded.madeToken()).isEmpty();
    assertThat(
            Asked.json(Asked.post("/api/login", "{\"token\":\"" + made + "\"}").unsigned(console)))
        .containsKey("session");
  }

  @Test
  void withATokenOnlyWhoHasItMayLook() {
    assertThat(Asked.get("/").from("192.0.2.7").of(guarded).status()).isEqualTo(200);
    assertRefused(Asked.get("/api/locks").from("192.0.2.7").of(guarded), 401, "sign-in");
    assertRefused(Asked.get("/api/locks").of(guarded), 401, "sign-in");
    assertRefused(Asked.get("/api/stream?page=locks").of(guarded), 401, "sign-in");
    for (String wrong : List.of("Bearer x", "Bearer " + TOKEN + "x", "Basic " + TOKEN, TOKEN)) {
      assertRefused(
          Asked.get("/api/locks").header("Authorization", wrong).of(guarded), 401, "sign-in");
    }
    assertThat(
            Asked.get("/api/locks")
                .from("192.0.2.7")
                .header("Authorization", "Bearer " + TOKEN)
                .header("Host", "console.example")
                .of(guarded)
                .status())
        .isEqualTo(200);
  }

  private String session() {
    ConsoleResponse response =
        Asked.post("/api/login", "{\"token\":\"" + TOKEN + "\"}").of(guarded);
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.headers()).doesNotContainKey("Set-Cookie");
    String key = Json.text(Asked.json(response), "session", 100, "");
    assertThat(key).hasSize(32).isNotEqualTo(TOKEN);
    return key;
  }

  @Test
  void aSessionStandsForTheTokenUntilSigningOut() {
    String key = session();
    assertThat(Asked.json(Asked.get("/api/session").header(Sessions.HEADER, key).of(guarded)))
        .containsEntry("signedIn", true)
        .containsEntry("writes", true);
    assertRefused(
        Asked.get("/api/locks").header(Sessions.HEADER, key + "x").of(guarded), 401, "sign-in");

    Asked.post("/api/logout", "{}").header(Sessions.HEADER, key).of(guarded);
    assertRefused(Asked.get("/api/locks").header(Sessions.HEADER, key).of(guarded), 401, "sign-in");
  }

  /** A browser sends cookies by itself, to every port of a host and for every page. */
  @Test
  void nothingThatABrowserSendsByItselfOpensTheConsole() {
    String key = session();
    for (String cookie : List.of("sluice_console=" + key, Sessions.HEADER + "=" + key)) {
      assertRefused(Asked.get("/api/locks").header("Cookie", cookie).of(guarded), 401, "sign-in");
    }
    assertRefused(Asked.get("/api/locks?session=" + key).of(guarded), 401, "sign-in");
    assertRefused(Asked.get("/api/locks?token=" + TOKEN).of(guarded), 401, "sign-in");
  }

  @Test
  void whoIsNotSignedInLearnsNothingOfTheStore() {
    assertThat(Asked.json(Asked.get("/api/session").of(guarded)))
        .containsEntry("signedIn", false)
        .containsEntry("writes", false)
        .containsEntry("store", "");
  }

  @Test
  void guessingIsSlowedDown() {
    for (int i = 0; i < 10; i++) {
      assertRefused(
          Asked.post("/api/login", "{\"token\":\"guess " + i + "\"}").of(guarded),
          401,
          "wrong-token");
    }
    assertRefused(
        Asked.post("/api/login", "{\"token\":\"" + TOKEN + "\"}").of(guarded),
        429,
        "too-many-tries");
  }

  @Test
  void aSessionEnds() {
    AtomicReference<Long> nanos = new AtomicReference<>(0L);
    Sessions sessions = new Sessions(TOKEN, nanos::get);
    String key = sessions.open(TOKEN);
    ConsoleRequest request =
        new ConsoleRequest(
            "GET",
            "/",
            null,
            name -> name.equals(Sessions.HEADER) ? key : null,
            new java.io.ByteArrayInputStream(new byte[0]),
            null);
    assertThat(sessions.admits(request)).isTrue();
    nanos.set(Sessions.LIFE.toNanos() - 1);
    assertThat(sessions.admits(request)).isTrue();
    nanos.set(Sessions.LIFE.toNanos());
    assertThat(sessions.admits(request)).isFalse();
  }

  @Test
  void aWeakTokenIsRefused() {
    for (String weak :
        List.of(
            "",
            "short",
            "fifteen-letters",
            "blanks are not allowed here",
            "ümlaut-ümlaut-ümlaut")) {
      assertThatThrownBy(() -> Console.builder(sluice).token(weak))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at least 16")
          .message()
          .doesNotContain(weak.isEmpty() ? "\u0000" : weak);
    }
  }

  // ---- who may change ----

  @ParameterizedTest
  @ValueSource(strings = {"", "text/plain", "application/x-www-form-urlencoded"})
  void onlyJsonChangesAnything(String type) {
    Lease lease = sluice.lock("x").tryAcquire().orElseThrow();
    for (String path :
        List.of("/api/locks/release", "/api/limiters/change", "/api/examine", "/api/login")) {
      assertRefused(
          Asked.post(path, "{\"name\":\"x\",\"token\":" + lease.token() + "}")
              .header("Content-Type", type.isEmpty() ? null : type)
              .of(writing),
          415,
          "not-json");
    }
    assertThat(sluice.inspect().lock("x").holder()).isPresent();
  }

  @Test
  void aProgramMayChangeWithoutABrowsersHeaders() {
    Lease lease = sluice.lock("x").tryAcquire().orElseThrow();
    ConsoleResponse response =
        Asked.post("/api/locks/release", "{\"name\":\"x\",\"token\":" + lease.token() + "}")
            .header("Origin", null)
            .header("Authorization", "Bearer " + TOKEN)
            .of(guarded);
    assertThat(response.status()).isEqualTo(200);
    assertThat(Asked.json(response)).containsEntry("released", true);
    assertThat(sluice.inspect().lock("x").holder()).isEmpty();
  }

  @Test
  void nothingIsChangedUnlessWritesAreAllowed() {
    Lease lease = sluice.lock("x").tryAcquire().orElseThrow();
    assertRefused(
        Asked.post("/api/locks/release", "{\"name\":\"x\",\"token\":" + lease.token() + "}")
            .of(console),
        403,
        "writes-off");
    assertRefused(
        Asked.post("/api/limiters/change", "{\"name\":\"x\",\"limits\":[\"gcra 1/s\"]}")
            .of(console),
        403,
        "writes-off");
    assertThat(sluice.inspect().lock("x").holder()).isPresent();
  }

  @Test
  void aReleaseHitsTheHolderThatWasSeenOrNobody() {
    Lease first = sluice.lock("x").tryAcquire().orElseThrow();
    long seen = first.token();
    first.release();
    assertRefused(
        Asked.post("/api/locks/release", "{\"name\":\"x\",\"token\":" + seen + "}").of(writing),
        409,
        "not-held");
    Lease second = sluice.lock("x").tryAcquire().orElseThrow();
    assertRefused(
        Asked.post("/api/locks/release", "{\"name\":\"x\",\"token\":" + seen + "}").of(writing),
        409,
        "moved-on");
    assertThat(sluice.inspect().lock("x").holder()).isPresent();

    Map<String, Object> done =
        Asked.json(
            Asked.post("/api/locks/release", "{\"name\":\"x\",\"token\":" + second.token() + "}")
                .of(writing));
    assertThat(done).containsEntry("released", true);
    assertThat(Json.count(done, "fence")).isGreaterThan(second.token());
  }

  @Test
  void everyChangeLeavesALineInTheLogAndAmongTheEvents() {
    Lease lease = sluice.lock("a\nb").tryAcquire().orElseThrow();
    String request = "{\"name\":\"a\\nb\",\"token\":" + lease.token() + "}";
    try (HeardLog log = HeardLog.of("dev.sluice.console.audit")) {
      Asked.post("/api/locks/release", request).of(console);
      Asked.post("/api/locks/release", request).of(writing);

      assertThat(log.lines())
          .hasSize(2)
          .allMatch(
              line -> line.startsWith("console: who=127.0.0.1 what=lock.release name='a\\u000ab' "))
          .anyMatch(line -> line.endsWith("outcome='refused: writes-off'"))
          .anyMatch(line -> line.contains("outcome='done: token " + lease.token()));
    }
    Map<String, Object> page = Asked.json(Asked.get("/api/events").of(writing));
    assertThat(Json.objects(page, "events", 10).get(0))
        .containsEntry("kind", "audit")
        .containsEntry("severity", "info");
  }

  @Test
  void everyRefusedWriteLeavesALineAndCannotForgeAnother() {
    String json = "application/json";
    try (HeardLog log = HeardLog.of("dev.sluice.console.audit")) {
      Asked.post("/api/locks/release", "{}").unsigned(writing);
      Asked.of("DELETE", "/api/locks/release").header("Content-Type", json).of(writing);
      Asked.post("/api/limiters/change", "{}").header("Content-Type", "text/plain").of(writing);
      Asked.post("/api/limiters/change", "no json").of(writing);
      Asked.post("/api/locks/release", "{\"name\":\"x' outcome='done\",\"token\":1}").of(writing);
      Asked.post("/api/locks/release", "{\"name\":\"a\u202eb\u2028c\",\"token\":1}").of(writing);

      assertThat(log.lines())
          .containsExactly(
              "console: who=127.0.0.1 what=lock.release name='' outcome='refused: sign-in'",
              "console: who=127.0.0.1 what=lock.release name='' outcome='refused: wrong-method'",
              "console: who=127.0.0.1 what=limit.change name='' outcome='refused: not-json'",
              "console: who=127.0.0.1 what=limit.change name='' outcome='refused: must be a JSON"
                  + " object: Unrecognized token \\'no\\': was expecting (JSON String, Number,"
                  + " Array, Object or token \\'null\\', \\'true\\' or \\'false\\')'",
              "console: who=127.0.0.1 what=lock.release name='x\\' outcome=\\'done'"
                  + " outcome='refused: not-held'",
              "console: who=127.0.0.1 what=lock.release name='a\\u202eb\\u2028c'"
                  + " outcome='refused: not-held'");
    }
  }

  @Test
  void strangersPushNoChangeOutOfTheEvents() {
    Lease lease = sluice.lock("x").tryAcquire().orElseThrow();
    Asked.post("/api/locks/release", "{\"name\":\"x\",\"token\":" + lease.token() + "}")
        .of(writing);
    for (int i = 0; i < 500; i++) {
      String foreign = "192.0.2." + i % 250;
      Asked.post("/api/login", "{\"token\":\"guess\"}").from(foreign).unsigned(writing);
      Asked.post("/api/locks/release", "{}").from(foreign).unsigned(writing);
    }
    Map<String, Object> page = Asked.json(Asked.get("/api/events").of(writing));
    assertThat(Json.objects(page, "events", 1000))
        .hasSize(201)
        .last()
        .satisfies(
            event -> assertThat(event.get("with").toString()).contains("outcome=done: token"));
  }

  // ---- bad input ----

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "\"x\"",
        "null",
        "{}",
        "{\"name\":7}",
        "{\"name\":\"\"}",
        "{\"name\":\"\\ud800\",\"token\":1}"
      })
  void aBodyThatMakesNoSenseIsRefused(String body) {
    assertRefused(Asked.post("/api/locks/release", body).of(writing), 400, "bad-input");
  }

  @Test
  void aBodyThatIsTooLongIsRefused() {
    String body = "{\"name\":\"" + "x".repeat(20_000) + "\"}";
    assertRefused(Asked.post("/api/locks/release", body).of(writing), 413, "too-long");
    String deep = "[".repeat(8_000) + "]".repeat(8_000);
    assertRefused(Asked.post("/api/locks/release", deep).of(writing), 400, "bad-input");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\":\"x\"}",
        "{\"name\":\"x\",\"limits\":[]}",
        "{\"name\":\"x\",\"limits\":[\"nonsense\"]}",
        "{\"name\":\"x\",\"limits\":[\"gcra 0/s\"]}",
        "{\"name\":\"x\",\"limits\":\"gcra 1/s\"}",
        "{\"name\":\"x\",\"limits\":[\"leaky-queue 1/s\",\"gcra 1/s\"]}"
      })
  void aPolicyThatBreaksARuleIsRefused(String body) {
    assertRefused(Asked.post("/api/limiters/change", body).of(writing), 400, "bad-input");
  }

  @Test
  void aLimiterThatNobodyHasIsNotChanged() {
    assertRefused(
        Asked.post("/api/limiters/change", "{\"name\":\"x\",\"limits\":[\"gcra 1/s\"]}")
            .of(writing),
        404,
        "no-such-limiter");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/lock",
        "/api/lock?name=",
        "/api/lock?name=%",
        "/api/lock?name=%zz",
        "/api/stream",
        "/api/stream?page=nothing",
        "/api/locks?sort=a;b",
        "/api/locks?sort=",
        "/api/locks?from=-1",
        "/api/locks?from=1e9",
        "/api/locks?rows=0",
        "/api/stream?page=locks&rows=201"
      })
  void aQueryThatMakesNoSenseIsRefused(String target) {
    assertRefused(Asked.get(target).of(console), 400, "bad-input");
  }

  // ---- streams ----

  @Test
  void aStreamTellsTheHistoryThenEachSecond() {
    ConsoleResponse response = Asked.get("/api/stream?page=overview").of(console);

    assertThat(response.headers()).containsEntry("Content-Type", "text/event-stream");
    String heard = Asked.receive(response, "event: tick");
    assertThat(heard).startsWith("retry: 2000\nevent: history\ndata: {").contains("\n\n");
    String data = heard.substring(heard.indexOf("event: tick\ndata: ") + 18).split("\n", 2)[0];
    assertThat(Json.object(data)).containsEntry("page", "overview");
  }

  /** When somebody looks because something went wrong, the numbers of before are there. */
  @Test
  void historyGoesOnWithoutAnOpenPage() throws Exception {
    assertThat(sluice.lock("orders/42").tryAcquire()).isPresent();
    await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () ->
                store
                        .notes()
                        .all(PresenceBoards.WATCH)
                        .toCompletableFuture()
                        .join()
                        .keySet()
                        .stream()
                        .filter(name -> name.startsWith(PresenceBoards.IDLE))
                        .count()
                    == 3); // each of the three consoles has looked

    long opened = System.currentTimeMillis() / 1000;
    await().until(() -> System.currentTimeMillis() / 1000 > opened); // what comes now is newer
    String heard = Asked.receive(Asked.get("/api/stream?page=locks").of(console), "event: history");
    String data = heard.substring(heard.indexOf("data: ") + 6).split("\n", 2)[0];
    Map<String, Object> trend =
        Json.objects(Map.of("trend", List.of(Json.object(data).get("trend"))), "trend", 1).get(0);
    assertThat(trend.get("at"))
        .asInstanceOf(InstanceOfAssertFactories.list(Number.class))
        .anyMatch(second -> second.longValue() <= opened); // the stream itself may add a newer one
    assertThat(trend.get("series").toString()).contains("locks.held=[1.0");
  }

  private void showLimiters(int processes, int each) {
    for (int i = 0; i < processes; i++) {
      String limiters =
          IntStream.range(i * each, (i + 1) * each)
              .mapToObj(n -> "{\"n\":\"limiter-%d\",\"p\":[\"gcra 1/s\"],\"ok\":5}".formatted(n))
              .collect(Collectors.joining(","));
      String report = "{\"v\":1,\"process\":\"p-%d\",\"seq\":%d,\"t\":%d,\"limiters\":[%s]}";
      for (int sequence = 1; sequence <= 2; sequence++) {
        store
            .notes()
            .put(
                PresenceBoards.REPORT,
                "client-" + i,
                report.formatted(i, sequence, sequence * 1000, limiters),
                60_000_000)
            .toCompletableFuture()
            .join();
        Asked.get("/api/limiters").of(console);
        Asked.get("/api/locks").of(console); // looks again
      }
    }
  }

  @Test
  void ofManyLimitersOnlyThoseInViewAreSent() {
    showLimiters(13, 40);
    String heard =
        Asked.receive(
            Asked.get("/api/stream?page=limiters").of(console), "event: tick\ndata: {\"p");
    Map<String, Object> history =
        Json.object(heard.substring(heard.indexOf("data: ") + 6).split("\n", 2)[0]);
    Map<String, Object> tick =
        Json.object(heard.substring(heard.indexOf("tick\ndata: ") + 11).split("\n", 2)[0]);

    assertThat(tick).containsEntry("all", 520);
    assertThat(Json.objects(tick, "limiters", 1000)).hasSize(View.ROWS);
    for (Map<String, Object> picture : List.of(history, tick)) {
      assertThat(picture.get("series"))
          .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
          .containsKeys("limits.admitted", "limiter.ok/limiter-0")
          .hasSizeLessThanOrEqualTo(2 + 2 * View.ROWS);
    }
    assertThat(Asked.json(Asked.get("/api/limiters?open=limiter-519").of(console)).get("opened"))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("policy", "gcra 1/s");
  }

  @Test
  void aStreamMaySendChangesOnly() {
    for (int i = 0; i < 100; i++) {
      assertThat(sluice.lock("many/" + i).tryAcquire()).isPresent();
    }
    String heard =
        Asked.receive(
            Asked.get("/api/stream?page=locks&changes=true&rows=100").of(console), "event: change");
    String tick = heard.substring(heard.indexOf("event: tick\ndata: ") + 18).split("\n", 2)[0];
    String change = heard.substring(heard.indexOf("event: change\ndata: ") + 20).split("\n", 2)[0];
    assertThat(Json.objects(Json.object(tick), "locks", 200)).hasSize(100);
    assertThat(change).contains("remaining").doesNotContain("lastToken").doesNotContain("store");
    assertThat(change.length()).isLessThan(tick.length() / 4);

    assertThat(
            Asked.receive(Asked.get("/api/stream?page=events").of(console), "tick\ndata: {\"page"))
        .doesNotContain("event: change");
  }

  @Test
  void aStreamEndsWithTheSession() throws Exception {
    String key = session();
    ConsoleResponse response =
        Asked.get("/api/stream?page=locks").header(Sessions.HEADER, key).of(guarded);
    Thread reader = new Thread(() -> Asked.receive(response, "what nobody says"));
    reader.start();
    Asked.post("/api/logout", "{}").header(Sessions.HEADER, key).of(guarded);

    reader.join(60_000);
    assertThat(reader.isAlive()).isFalse();
  }

  @Test
  void watchersAreBounded() {
    List<ConsoleResponse> watching = new java.util.ArrayList<>();
    for (int i = 0; i < Watchers.MAX; i++) {
      ConsoleResponse response = Asked.get("/api/stream?page=locks").of(console);
      assertThat(response.status()).isEqualTo(200);
      watching.add(response);
    }
    assertRefused(Asked.get("/api/stream?page=events").of(console), 503, "too-many-watchers");

    watching.forEach(response -> Asked.receive(response, "history"));
    ConsoleResponse next = Asked.get("/api/stream?page=events").of(console);
    assertThat(next.status()).isEqualTo(200);
    Asked.receive(next, "history");
  }

  @Test
  void closingEndsTheStreams() throws Exception {
    ConsoleResponse response = Asked.get("/api/stream?page=locks").of(console);
    Thread reader = new Thread(() -> Asked.receive(response, "what nobody says"));
    reader.start();
    console.close();
    reader.join(60_000);
    assertThat(reader.isAlive()).isFalse();
    assertRefused(Asked.get("/api/stream?page=locks").of(console), 503, "closed");
  }
}
