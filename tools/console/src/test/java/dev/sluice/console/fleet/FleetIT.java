package dev.sluice.console.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Extensions;
import dev.sluice.Sluice;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.console.Asked;
import dev.sluice.console.Console;
import dev.sluice.console.FleetReporter;
import dev.sluice.console.http.ConsoleResponse;
import dev.sluice.console.http.Json;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.NoteBackend;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two processes and a console over one real Redis. */
class FleetIT {
  private static final Duration SOON = Duration.ofMinutes(1);
  private static RedisServer redis;

  private Sluice one;
  private Sluice two;
  private Sluice watching;
  private Console console;
  private final AtomicBoolean enough = new AtomicBoolean();
  private Thread watcher;

  @BeforeAll
  static void start() {
    redis = RedisServer.start(RedisBinary.any());
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void open() {
    redis.call("FLUSHALL");
    one = Sluice.connect(redis.uri());
    two = Sluice.connect(redis.uri());
    watching = Sluice.connect(redis.uri());
    console = Console.builder(watching).writes(true).build();
  }

  @AfterEach
  void close() throws Exception {
    enough.set(true);
    if (watcher != null) {
      watcher.join(SOON.toMillis());
    }
    watching.close();
    two.close();
    one.close();
  }

  /**
   * Keeps a page open, as a browser does. A process that starts afterwards shows itself at once,
   * one that was there before some seconds later.
   */
  private void watch(String page) {
    ConsoleResponse response = Asked.get("/api/stream?page=" + page).of(console);
    watcher =
        new Thread(
            () -> {
              try {
                response.stream()
                    .writeTo(
                        new java.io.OutputStream() {
                          @Override
                          public void write(int b) throws java.io.IOException {
                            if (enough.get()) {
                              throw new java.io.IOException("the reader has disconnected");
                            }
                          }
                        });
              } catch (java.io.IOException e) {
                // as planned
              }
            });
    watcher.start();
    await().atMost(SOON).until(() -> !notes("watch").isEmpty());
  }

  private Map<String, Object> page(String page) {
    return Asked.json(Asked.get("/api/" + page).of(console));
  }

  private Map<String, Object> row(String page, String list, String name) {
    return Json.objects(page(page), list, 100).stream()
        .filter(row -> name.equals(row.get("name")))
        .findFirst()
        .orElse(Map.of());
  }

  @Test
  void whatProcessesDoIsAddedUp() {
    RateLimiterOptions three =
        RateLimiterOptions.of(Limit.fixedWindow(3, Duration.ofHours(1))).deadline(SOON);
    RateLimiter first = one.rateLimiter("login", three);
    RateLimiter second = two.rateLimiter("login", three);
    for (int i = 0; i < 4; i++) {
      first.tryAcquire("alice");
    }
    second.tryAcquire("bob");
    GuardedCache<String, String> cache =
        GuardedCache.create(
            one,
            "products",
            CacheOptions.of(String.class, Codec.utf8()).deadline(SOON),
            key -> "value of " + key);
    cache.get("a");
    cache.get("a");
    two.bloomFilter("ids", Funnel.utf8(), BloomSpec.of(1000, 0.01)).create();
    watch("filters");
    FleetReporter.start(one, "orders-1");
    FleetReporter.start(two, "orders-2");

    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(page("overview")).containsEntry("processes", 2));
    assertThat(Json.objects(page("overview"), "members", 10))
        .extracting(row -> row.get("name"))
        .containsExactlyInAnyOrder("orders-1", "orders-2");
    assertThat(row("limiters", "limiters", "login"))
        .containsEntry("processes", 2)
        .containsEntry("ok", 4)
        .containsEntry("no", 1);
    assertThat(row("caches", "caches", "products"))
        .containsEntry("processes", 1)
        .containsEntry("hits", 1)
        .containsEntry("loads", 1);
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(row("filters", "filters", "ids"))
                    .containsEntry("expected", 1000)
                    .containsEntry("missing", 0));
  }

  @Test
  void callsAndBusyKeysAreShownAsTheyCome() {
    RateLimiter limiter = one.rateLimiter("api", Limit.tokenBucket(5, Duration.ofHours(1)));
    watch("limiters");
    FleetReporter.start(one, "orders-1");
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              for (int i = 0; i < 20; i++) {
                limiter.tryAcquire("busy");
              }
              limiter.tryAcquire("calm");
              Map<String, Object> row = row("limiters", "limiters", "api");
              assertThat(((Number) row.getOrDefault("noRate", 0)).doubleValue()).isPositive();
              assertThat(Json.objects(row, "hot", 10))
                  .extracting(key -> key.get("key"))
                  .startsWith("busy");
            });
  }

  @Test
  void aLimitIsChangedInEveryProcess() {
    Limit old = Limit.fixedWindow(1, Duration.ofHours(1));
    RateLimiter first = one.rateLimiter("login", old);
    RateLimiter second = two.rateLimiter("login", old);
    RateLimiter other = two.rateLimiter("other", old);
    watch("limiters");
    FleetReporter.start(one, "orders-1");
    FleetReporter.start(two, "orders-2");
    await()
        .atMost(SOON)
        .until(
            () -> Integer.valueOf(2).equals(row("limiters", "limiters", "login").get("processes")));

    ConsoleResponse response =
        Asked.post(
                "/api/limiters/change",
                "{\"name\":\"login\",\"limits\":[\"fixed-window 5/1h\"],\"reason\":\"too many\"}")
            .of(console);

    assertThat(response.status()).as(Asked.text(response)).isEqualTo(200);
    assertThat(Asked.json(response)).containsEntry("version", 1);
    Limit wanted = Limit.fixedWindow(5, Duration.ofHours(1));
    for (RateLimiter limiter : List.of(first, second)) {
      await().atMost(SOON).until(() -> limiter.options().limits().equals(List.of(wanted)));
      assertThat(limiter.options().version()).isEqualTo(1);
    }
    assertThat(other.options().limits()).containsExactly(old);
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(Json.objects(row("limiters", "limiters", "login"), "policies", 8))
                    .singleElement()
                    .satisfies(
                        policy ->
                            assertThat(policy)
                                .containsEntry("version", 1)
                                .containsEntry("processes", 2)));
    assertThat(one.policyBook().find("login").orElseThrow())
        .satisfies(entry -> assertThat(entry.author()).isEqualTo("console, 127.0.0.1"))
        .satisfies(entry -> assertThat(entry.reason()).isEqualTo("too many"));
    assertThat(history("login"))
        .singleElement()
        .satisfies(
            entry ->
                assertThat(entry)
                    .containsEntry("version", 1)
                    .containsEntry("limits", List.of("fixed-window 5/1h"))
                    .containsEntry("author", "console, 127.0.0.1")
                    .containsEntry("reason", "too many"));
    assertThat(history("unknown")).isEmpty();

    try (Sluice restarted = Sluice.connect(redis.uri())) {
      RateLimiter third = restarted.rateLimiter("login", old);
      FleetReporter.start(restarted, "orders-1");
      await().atMost(SOON).until(() -> third.options().limits().equals(List.of(wanted)));
    }
  }

  private List<Map<String, Object>> history(String limiter) {
    ConsoleResponse response = Asked.get("/api/limiters/history?name=" + limiter).of(console);
    return Json.objects(Asked.json(response), "entries", 20);
  }

  @Test
  void aMuchLargerLimitIsAskedForTwice() {
    RateLimiter limiter = one.rateLimiter("login", Limit.fixedWindow(1, Duration.ofHours(1)));
    watch("limiters");
    FleetReporter.start(one, "orders-1");
    await()
        .atMost(SOON)
        .until(
            () -> Integer.valueOf(1).equals(row("limiters", "limiters", "login").get("processes")));
    String large = "{\"name\":\"login\",\"limits\":[\"fixed-window 11/1h\"]";

    assertThat(Asked.json(Asked.post("/api/limiters/plan", large + "}").of(console)))
        .containsEntry("before", List.of("fixed-window 1/1h"))
        .containsEntry("limits", List.of("fixed-window 11/1h"))
        .containsEntry("version", 1)
        .containsEntry("processes", 1)
        .containsEntry("growth", 11.0)
        .containsEntry("large", true);
    ConsoleResponse refused = Asked.post("/api/limiters/change", large + "}").of(console);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(Asked.json(refused)).containsEntry("error", "large-change");
    assertThat(limiter.options().version()).isZero();

    String agreed = large + ",\"large\":true,\"reason\":\"a sale\"}";
    assertThat(Asked.post("/api/limiters/change", agreed).of(console).status()).isEqualTo(200);
    await().atMost(SOON).until(() -> limiter.options().version() == 1);
    assertThat(Json.objects(page("events"), "events", 20))
        .filteredOn(event -> "audit".equals(event.get("kind")))
        .extracting(event -> event.get("with"))
        .first()
        .asString()
        .contains(
            "wrote fixed-window 11/1h, version 1, for 1 processes, in place of fixed-window 1/1h,"
                + " reason: a sale");
  }

  @Test
  void aChangeKeepsTheKeysAndPlansOfTheBook() {
    Limit old = Limit.fixedWindow(1, Duration.ofHours(1));
    Limit more = Limit.fixedWindow(3, Duration.ofHours(1));
    RateLimiterOptions written =
        RateLimiterOptions.of(old).override("partner/7", more).plan("pro", more);
    one.policyBook().set("login", written, "ops", "");
    RateLimiter limiter =
        one.rateLimiter("login", RateLimiterOptions.of(old).plan("pro", old).planOf(key -> null));
    watch("limiters");
    FleetReporter.start(one, "orders-1");
    await().atMost(SOON).until(() -> limiter.options().version() == 1);
    await()
        .atMost(SOON)
        .until(
            () -> Integer.valueOf(1).equals(row("limiters", "limiters", "login").get("processes")));

    String body = "{\"name\":\"login\",\"limits\":[\"fixed-window 2/1h\"]}";
    ConsoleResponse response = Asked.post("/api/limiters/change", body).of(console);

    assertThat(response.status()).as(Asked.text(response)).isEqualTo(200);
    await().atMost(SOON).until(() -> limiter.options().version() == 2);
    assertThat(limiter.options().overrides()).isEqualTo(written.overrides());
    assertThat(limiter.options().plans()).isEqualTo(written.plans());
    assertThat(limiter.options().limits())
        .containsExactly(Limit.fixedWindow(2, Duration.ofHours(1)));
    assertThat(history("login"))
        .extracting(entry -> entry.get("keys"))
        .hasSize(2)
        .containsOnly(Map.of("partner/7", List.of("fixed-window 3/1h")));
  }

  @Test
  void aChangeThatFailedIsMadeByNobodyLater() throws Exception {
    RateLimiter limiter = one.rateLimiter("login", Limit.fixedWindow(1, Duration.ofHours(1)));
    watch("limiters");
    FleetReporter.start(one, "orders-1");
    await()
        .atMost(SOON)
        .until(
            () -> Integer.valueOf(1).equals(row("limiters", "limiters", "login").get("processes")));
    redis.call("CONFIG", "SET", "min-replicas-to-write", "1");
    ConsoleResponse response;
    try {
      response =
          Asked.post(
                  "/api/limiters/change", "{\"name\":\"login\",\"limits\":[\"fixed-window 5/1h\"]}")
              .of(console);
    } finally {
      redis.call("CONFIG", "SET", "min-replicas-to-write", "0");
    }

    assertThat(response.status()).as(Asked.text(response)).isEqualTo(502);
    assertThat(Json.objects(page("events"), "events", 20))
        .filteredOn(event -> "audit".equals(event.get("kind")))
        .singleElement()
        .satisfies(event -> assertThat(event.toString()).contains("failed: "));
    assertThat(notes("policies")).isEmpty();
    assertThat(limiter.options().version()).isZero();
  }

  @Test
  void whatSomebodyElseWroteHidesNoLock() {
    redis.call("SET", "sl:{}:lock", "no name");
    redis.call("SET", "sl:{" + "x".repeat(600) + "}:lock", "too long a name");
    redis.call("SET", "sl:{a%zz}:lock", "no name either");
    redis.call("SET", "sl:{foreign}:lock", "what is this?");
    redis.call("SET", "sl:{sku}:stock", "and this?");
    assertThat(one.lock("seat").tryAcquire()).isPresent();

    assertThat(one.inspect().lockNames(10).names()).containsExactlyInAnyOrder("seat", "foreign");
    assertThat(row("locks", "locks", "seat")).containsEntry("held", true);
    assertThat(row("locks", "locks", "foreign")).isEmpty();
    assertThat(row("locks", "locks", "seat")).as("once more").containsEntry("held", true);
    assertThat(page("overview")).containsEntry("problem", "");
  }

  @Test
  void aLostLeaseIsAnEvent() {
    watch("locks");
    FleetReporter.start(one, "orders-1");
    assertThat(one.lock("x").tryAcquire()).isPresent();
    await().atMost(SOON).until(() -> "orders-1".equals(row("locks", "locks", "x").get("process")));
    long token = ((Number) row("locks", "locks", "x").get("token")).longValue();

    assertThat(
            Asked.post("/api/locks/release", "{\"name\":\"x\",\"token\":" + token + "}")
                .of(console)
                .status())
        .isEqualTo(200);

    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(Json.objects(page("events"), "events", 20))
                    .extracting(event -> event.get("kind"))
                    .contains("lock.lost", "audit"));
    assertThat(row("locks", "locks", "x")).containsEntry("losses", 1);
  }

  private Map<String, String> notes(String board) throws Exception {
    NoteBackend notes =
        Extensions.of(two, Peek.class, parts -> new Peek(parts.backend().notes())).notes;
    return notes.all(board).toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  /** Lends the store's boards to a test. */
  private static final class Peek implements AutoCloseable {
    final NoteBackend notes;

    Peek(NoteBackend notes) {
      this.notes = notes;
    }

    @Override
    public void close() {}
  }

  @Test
  void aReportIsNeverTooLongAndSaysThatItIsCut() throws Exception {
    for (int i = 0; i < 300; i++) {
      String name = "x".repeat(400) + i;
      one.rateLimiter(name, Limit.gcra(1, Duration.ofSeconds(1)).burst(5))
          .tryAcquire("k".repeat(500));
    }
    FleetReporter.start(one, "orders-1");
    watch("overview");
    AtomicReference<Map<String, String>> reports = new AtomicReference<>(Map.of());
    await()
        .atMost(SOON)
        .until(
            () -> {
              reports.set(notes("report"));
              return reports.get().size() == 1;
            });
    String report = reports.get().values().iterator().next();
    assertThat(report.getBytes(StandardCharsets.UTF_8).length)
        .isLessThanOrEqualTo(NoteBackend.MAX_BYTES);
    assertThat(Json.object(report)).containsEntry("cut", true).containsEntry("v", 1);
  }

  @Test
  void whatOthersWroteOnTheBoardIsLeftOut() throws Exception {
    NoteBackend notes =
        Extensions.of(two, Peek.class, parts -> new Peek(parts.backend().notes())).notes;
    for (String strange : List.of("no json", "[]", "{}", "{\"v\":2}", "{\"v\":\"1\"}")) {
      notes
          .put("report", "strange " + strange, strange, 60_000_000)
          .toCompletableFuture()
          .get(30, TimeUnit.SECONDS);
    }
    notes
        .put(
            "report",
            "odd",
            "{\"v\":1,\"process\":7,\"since\":9e18,\"seq\":1e400,\"pid\":-1,\"limiters\":[1,{\"n\":\"l\",\"ok\":\"x\",\"hot\":[{}]}],\"caches\":{}}",
            60_000_000)
        .toCompletableFuture()
        .get(30, TimeUnit.SECONDS);

    assertThat(page("overview")).containsEntry("processes", 1).containsEntry("unreadable", 5);
    assertThat(row("limiters", "limiters", "l")).containsEntry("ok", 0);
    assertThat(Json.objects(page("overview"), "members", 10))
        .singleElement()
        .satisfies(
            member ->
                assertThat(Json.count(member, "since")).isBetween(1L, System.currentTimeMillis()));
  }

  @Test
  void figuresSayHowOldTheyAreAndALostStoreIsAnEvent() {
    assertThat(one.lock("x").tryAcquire()).isPresent();
    long looked = Json.count(page("locks"), "lookedAt");
    redis.kill();
    try {
      await().atMost(SOON).until(() -> page("locks").get("reachable").equals(false));
      Map<String, Object> away = page("locks");
      assertThat(Json.count(away, "lookedAt")).isGreaterThanOrEqualTo(looked);
      assertThat(Json.count(away, "at")).isGreaterThan(Json.count(away, "lookedAt"));
      assertThat(page("locks")).containsEntry("lookedAt", away.get("lookedAt"));
    } finally {
      redis.restartEmpty();
    }
    await().atMost(SOON).until(() -> page("locks").get("reachable").equals(true));
    assertThat(Json.objects(page("events"), "events", 10))
        .extracting(event -> event.get("kind"))
        .containsExactly("store.emptied", "store.back", "store.away");
  }

  @Test
  void aReporterNeedsANameAndStartsOnce() {
    assertThatThrownBy(() -> FleetReporter.start(one, " "))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FleetReporter.start(one, "x".repeat(101)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(FleetReporter.start(one, "a")).isSameAs(FleetReporter.start(one, "b"));
  }
}
