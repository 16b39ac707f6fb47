package dev.sluice.flashsale;

import static dev.sluice.flashsale.SaleInstances.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.spring.limit.RateLimiters;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.web.server.ResponseStatusException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One instance over its public address. */
class SaleInstanceTest {
  @TempDir static Path folder;
  static SaleInstances shop;

  @BeforeAll
  static void open() {
    shop = new SaleInstances(1, folder, "memory:");
  }

  @AfterAll
  static void close() {
    shop.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "atomic", "lock", "optimistic", "pessimistic", "conditional"})
  void oneBuyerAfterTheOtherGetsTheRightAnswerFromEveryStrategy(String strategy) throws Exception {
    shop.post("/sale/" + strategy + "/reset?stock=2");

    HttpResponse<String> first = shop.get("/sale/" + strategy);
    assertThat(json(first).get("answer").asString()).isEqualTo("sold");
    assertThat(json(shop.post("/sale/" + strategy)).get("answer").asString()).isEqualTo("sold");
    HttpResponse<String> last = shop.get("/sale/" + strategy);
    assertThat(json(last).get("answer").asString()).isEqualTo("sold out");
    assertThat(last.body()).as("one length, or ab calls it a failure").hasSameSizeAs(first.body());

    JsonNode detail = json(shop.get("/sale/" + strategy + "/detail"));
    assertThat(detail.get("stock").asInt()).isEqualTo(2);
    assertThat(detail.get("unitsLeft").asInt()).isZero();
    assertThat(detail.get("sold").asInt()).isEqualTo(2);
    assertThat(detail.get("oversold").asInt()).isZero();
    assertThat(detail.get("fence").asLong() > 0).isEqualTo(strategy.equals("lock"));
    assertThat(detail.get("ordersPerSecond").asDouble()).isPositive();
    assertThat(detail.get("soldBy").get(detail.get("instance").asString()).asInt()).isEqualTo(2);
    JsonNode answered = detail.get("answered");
    assertThat(answered.get("requests").asInt()).isEqualTo(3);
    assertThat(answered.get("soldOut").asInt()).isEqualTo(1);
    assertThat(answered.get("perSecond").asDouble()).isPositive();
    assertThat(answered.get("p50Millis").asDouble()).isPositive();
    assertThat(answered.get("p99Millis").asDouble())
        .isBetween(answered.get("p50Millis").asDouble(), answered.get("maxMillis").asDouble());
  }

  /** Whoever may log in to H2 may run code in its process. */
  @Test
  void theDatabaseIsForItsUserAlone() throws Exception {
    String url = "jdbc:h2:file:" + folder.resolve("sale") + ";MODE=PostgreSQL;AUTO_SERVER=TRUE";
    assertThatThrownBy(() -> DriverManager.getConnection(url, "sa", ""))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("Wrong user name or password");
    Path secret = folder.resolve("sale.password");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
        .isEqualTo("rw-------");
    assertThat(DataFolder.password(folder.resolve("sale")))
        .hasSize(32)
        .isEqualTo(Files.readString(secret));

    Path fresh = folder.resolve("a/b");
    assertThat(DataFolder.password(fresh.resolve("sale"))).isNotEqualTo(Files.readString(secret));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fresh)))
        .isEqualTo("rwx------");
    Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxrwxr-x"));
    assertThatThrownBy(() -> DataFolder.password(fresh.resolve("sale")))
        .hasMessageContaining("others can write into");
    Files.createFile(folder.resolve("old.mv.db"));
    assertThatThrownBy(() -> DataFolder.password(folder.resolve("old")))
        .hasMessageContaining("of an older demo");
  }

  @ParameterizedTest
  @CsvSource({
    "localhost, true",
    "LOCALHOST:8080, true",
    "127.0.0.1:80, true",
    "[::1]:80, true",
    "evil.example, false",
    "127.0.0.1.evil.example:80, false"
  })
  void onlyNamesOfThisMachineAreAnswered(String host, boolean answered) throws Exception {
    for (String path : List.of("/", "/nothing", "/sale/inventory")) {
      try (Socket socket = new Socket("127.0.0.1", shop.uri("/").getPort())) {
        String request =
            "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(!answer.startsWith("HTTP/1.1 421")).as(answer).isEqualTo(answered);
      }
    }
  }

  @Test
  void lockSellsExactlyTheStockToACrowd() throws Exception {
    DemoLoad.Progress end = shop.crowd("lock", 200, 600);

    assertThat(end.answers().sold()).isEqualTo(200);
    assertThat(end.answers().soldOut()).isEqualTo(400);
    assertThat(shop.sales(0).freshDetail("lock").sold()).isEqualTo(200);
  }

  @Test
  void stockRowRefusesATokenOlderThanTheLastItSaw() {
    Ledger ledger = shop.bean(Ledger.class);
    ledger.reset("lock", 5, 100);

    assertThat(ledger.takeOneFenced("lock", 101)).isTrue();
    assertThat(ledger.takeOneFenced("lock", 100)).as("a holder that woke up late").isFalse();
    assertThat(ledger.takeOneFenced("lock", 101)).as("the same holder again").isTrue();
    assertThat(ledger.stock("lock").unitsLeft()).isEqualTo(3);
    assertThat(ledger.fence("lock")).isEqualTo(101);
  }

  @Test
  void staleHolderIsToldSoAndSellsNothing() throws Exception {
    shop.bean(Ledger.class).reset("lock", 5, 1L << 53);
    shop.sales(0).freshDetail("lock"); // notices the new run

    HttpResponse<String> answer = shop.get("/sale/lock");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(json(answer).get("reason").asString())
        .matches("token \\d+ is too old: the stock row has seen " + (1L << 53));
    JsonNode detail = json(shop.get("/sale/lock/detail"));
    assertThat(detail.get("unitsLeft").asInt()).isEqualTo(5);
    assertThat(detail.get("sold").asInt()).isZero();
    assertThat(detail.get("answered").get("failed").asInt()).isEqualTo(1);

    shop.post("/sale/lock/reset?stock=5"); // an operator's reset takes a new token for the row
    assertThat(json(shop.get("/sale/lock")).get("answer").asString()).isEqualTo("sold");
  }

  @Test
  void aBuyerIsRefusedBeyondAFewOrdersAndOthersAreNot() throws Exception {
    shop.post("/sale/lock/reset?stock=1000");

    int passed = 0;
    HttpResponse<String> answer = shop.order("lock", "greedy");
    while (answer.statusCode() == 200 && passed < 100) {
      passed++;
      answer = shop.order("lock", "greedy");
    }

    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(passed).isGreaterThanOrEqualTo(5);
    assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
    assertThat(json(answer).get("violated-policies").get(0).asString()).isEqualTo("orders/buyer");
    assertThat(shop.order("lock", "modest").statusCode()).isEqualTo(200);
    assertThat(shop.order("lock", null).statusCode()).as("somebody new").isEqualTo(200);
    JsonNode detail = json(shop.get("/sale/lock/detail"));
    assertThat(detail.get("answered").get("refused").asInt()).isEqualTo(1);
    assertThat(detail.get("sold").asInt()).isEqualTo(passed + 2);
  }

  @Test
  void allBuyersTogetherAreLimitedToo() throws Exception {
    RateLimiters limiters = shop.bean(RateLimiters.class);
    RateLimiterOptions usual = limiters.get("orders").options();
    Limit three = Limit.fixedWindow(3, Duration.ofDays(1)).name("everybody").shared();
    limiters.update(
        "orders",
        RateLimiterOptions.of(usual.limits().get(0), three)
            .version(usual.version() + 1, CarryOver.RESET));
    try {
      shop.post("/sale/atomic/reset?stock=1000");
      for (int i = 0; i < 3; i++) {
        assertThat(shop.order("atomic", "one of many " + i).statusCode()).isEqualTo(200);
      }
      HttpResponse<String> refused = shop.order("atomic", "late");
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(json(refused).get("violated-policies").get(0).asString())
          .isEqualTo("orders/everybody");
    } finally {
      limiters.update("orders", usual.version(usual.version() + 2, CarryOver.RESET));
    }
    assertThat(shop.order("atomic", "late").statusCode()).isEqualTo(200);
  }

  @Test
  void eventsShowHowManyWereRefused() throws Exception {
    JsonNode line = endOfLoad("stock=1000&requests=600&concurrency=32&tries=200", 32);

    JsonNode answers = line.get("load").get("answers");
    int refused = answers.get("refused").asInt();
    assertThat(refused).as("three buyers, 600 requests").isBetween(1, 585);
    assertThat(answers.get("failed").asInt()).isZero();
    assertThat(answers.get("sold").asInt()).isEqualTo(600 - refused);
    assertThat(shop.sales(0).freshDetail("lock").sold()).isEqualTo(600 - refused);
    assertThat(shop.sales(0).freshDetail("lock").answered().refused()).isEqualTo(refused);
  }

  @Test
  void eventsShowACrowdWhileItIsInside() throws Exception {
    JsonNode line = endOfLoad("stock=100&requests=400&concurrency=16", 16);

    assertThat(line.get("load").get("answers").get("requests").asInt()).isEqualTo(400);
    assertThat(line.get("load").get("answers").get("p99Millis").asDouble()).isPositive();
    assertThat(line.get("load").get("result").get("sold").asInt()).isEqualTo(100);
  }

  /** What the events say of the lock at the end of a load of this concurrency. */
  private static JsonNode endOfLoad(String load, int concurrency) throws Exception {
    try (BufferedReader events = events()) {
      assertThat(next(events).get("sales").propertyNames())
          .contains(
              "none", "atomic", "lock", "optimistic", "pessimistic", "conditional", "inventory");
      assertThat(shop.post("/load/lock?" + load).statusCode()).isEqualTo(202);
      JsonNode line;
      do {
        line = next(events).get("sales").get("lock");
      } while (line.get("load").isNull()
          || line.get("load").get("concurrency").asInt() != concurrency // a load of another test
          || line.get("load").get("running").asBoolean());
      Awaitility.await()
          .until(() -> !shop.bean(DemoLoad.class).state().busy()); // the next may begin
      return line;
    }
  }

  private static BufferedReader events() throws IOException {
    return new BufferedReader(
        new InputStreamReader(shop.uri("/events").toURL().openStream(), StandardCharsets.UTF_8));
  }

  @Test
  void theStrategiesOfAPlanAreSoldOneAfterTheOtherWhoeverLooks() throws Exception {
    assertThat(shop.post("/load?stock=20&requests=40&concurrency=4").statusCode()).isEqualTo(202);

    DemoLoad load = shop.bean(DemoLoad.class);
    Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> !load.state().busy());
    for (String strategy : shop.sales(0).strategies()) {
      DemoLoad.Progress end = load.progress(strategy);
      assertThat(end).as(strategy).isNotNull();
      assertThat(end.running()).isFalse();
      assertThat(end.answers().requests()).isEqualTo(40);
      assertThat(end.result().sold()).isGreaterThanOrEqualTo(20 - (int) end.answers().failed());
      assertThat(end.result().ordersPerSecond()).isPositive();
      assertThat(end.curve()).hasSizeGreaterThan(1);
      assertThat(end.curve().get(end.curve().size() - 1).sold()).isEqualTo(end.result().sold());
    }
  }

  /** Answers to those who came too late are cheap, and no measure of a sale. */
  @Test
  void ordersPerSecondCountUntilTheLastOrder() throws Exception {
    DemoLoad.Progress end = shop.crowd("conditional", 20, 40);
    double rate = end.result().ordersPerSecond();
    assertThat(rate).isPositive();

    long then = System.currentTimeMillis();
    Awaitility.await().until(() -> System.currentTimeMillis() > then + 50); // some time has passed
    assertThat(json(shop.get("/sale/conditional")).get("answer").asString()).isEqualTo("sold out");
    assertThat(json(shop.get("/sale/conditional/detail")).get("ordersPerSecond").asDouble())
        .isEqualTo(rate);
  }

  /** As over a network, wherever it runs: an embedded database would compare processors. */
  @Test
  void eachStatementAndEachCommitTakesARoundTrip() throws Exception {
    var trips = new AtomicInteger();
    var database =
        new RoundTrips(new MockEnvironment().withProperty("sale.round-trip", "1ms")) {
          @Override
          void travel() {
            trips.incrementAndGet();
          }
        };
    var near = new SingleConnectionDataSource("jdbc:h2:mem:", true);
    var far = (DataSource) database.postProcessAfterInitialization(near, "database");
    try (Connection connection = far.getConnection();
        PreparedStatement query = connection.prepareStatement("SELECT 1")) {
      connection.setAutoCommit(false);
      query.executeQuery();
      query.executeQuery();
      connection.commit();
    } finally {
      near.destroy();
    }
    assertThat(trips).hasValue(3);
    var without = new RoundTrips(new MockEnvironment());
    assertThat(without.postProcessAfterInitialization(near, "database")).isSameAs(near);
  }

  private static JsonNode next(BufferedReader events) throws Exception {
    String line;
    do {
      line = events.readLine();
      assertThat(line).as("an event").isNotNull();
    } while (!line.startsWith("data:"));
    return JsonMapper.shared().readTree(line.substring("data:".length()));
  }

  @Test
  void pageNeedsNothingFromElsewhere() throws Exception {
    HttpResponse<String> page = shop.get("/");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Security-Policy"))
        .hasValueSatisfying(policy -> assertThat(policy).startsWith("default-src 'self'"));

    Set<String> parts = new TreeSet<>();
    Matcher references = Pattern.compile("(?:src|href)=\"([^\"]*)\"").matcher(page.body());
    while (references.find()) {
      if (!references.group(1).startsWith("data:")) {
        parts.add(references.group(1));
      }
    }
    assertThat(parts).hasSizeGreaterThanOrEqualTo(4).noneMatch(part -> part.contains("//"));
    for (String part : parts) {
      HttpResponse<String> served = shop.get("/" + part);
      assertThat(served.statusCode()).as(part).isEqualTo(200);
      if (!part.startsWith("vendor/")) {
        assertThat(served.body()).as(part).doesNotContain("http://", "https://");
      }
    }
    assertThat(shop.get("/vendor/uplot/LICENSE").body()).contains("MIT");
  }

  @ParameterizedTest
  @CsvSource({
    "/load/lock?requests=0,         400, 'requests must be 1 to 200000: 0'",
    "/load/lock?requests=200001,    400, 'requests must be 1 to 200000: 200001'",
    "/load/lock?concurrency=501,    400, 'concurrency must be 1 to 500: 501'",
    "/load/lock?tries=0,            400, 'tries must be 1 to 1000: 0'",
    "/load/lock?stock=0,            400, 'stock must be 1 to 1000000: 0'",
    "/sale/lock/reset?stock=-1,     400, 'stock must be 1 to 1000000: -1'",
    "/load/lock?requests=1e3,       400, 'requests must be a whole number: 1e3'",
    "/load?stock=many,              400, 'stock must be a whole number: many'",
    "/product/absent?ids=0,         400, 'ids must be 1 to 2000: 0'",
    "/product/absent?ids=2001,      400, 'ids must be 1 to 2000: 2001'",
    "/sale/magic,                   404, 'no strategy ''magic'': there are none, atomic, lock,"
        + " optimistic, pessimistic, conditional, inventory'",
    "/load/magic,                   404, 'no strategy ''magic'': there are none, atomic, lock,"
        + " optimistic, pessimistic, conditional, inventory'"
  })
  void wrongRequestsAreToldTheRule(String path, int status, String reason) throws Exception {
    HttpResponse<String> answer = shop.post(path);

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(json(answer).get("reason").asString()).isEqualTo(reason);
  }

  @Test
  void theProductPageAsksTheDatabaseOncePerProduct() throws Exception {
    Catalogue.Reading before = shop.bean(Catalogue.class).read();

    for (int i = 0; i < 5; i++) {
      HttpResponse<String> page = shop.get("/product/1999");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(json(page).get("name").asString()).isEqualTo("Product 1999");
      assertThat(json(page).get("cents").asInt()).isPositive();
    }
    assertThat(shop.get("/product/2001").statusCode()).isEqualTo(404);

    Catalogue.Reading after = shop.bean(Catalogue.class).read();
    assertThat(after.queries() - before.queries()).isEqualTo(1);
    assertThat(after.hits() - before.hits()).isEqualTo(4);
  }

  @Test
  void idsThatDoNotExistLeaveTheDatabaseQuiet() throws Exception {
    JsonNode guarded = json(shop.post("/product/absent?ids=1000"));
    assertThat(guarded.get("ids").asInt()).isEqualTo(1000);
    assertThat(guarded.get("queries").asInt()).as("1 in 1000 passes").isLessThan(20);
    assertThat(guarded.get("guarded").asInt()).isEqualTo(1000 - guarded.get("queries").asInt());

    JsonNode past = json(shop.post("/product/absent?ids=200&guarded=false"));
    assertThat(past.get("ids").asInt()).isEqualTo(200);
    assertThat(past.get("queries").asInt()).as("without the guard").isEqualTo(200);

    try (BufferedReader events = events()) {
      JsonNode figures = next(events).get("catalogue");
      assertThat(figures.get("queries").asInt()).isGreaterThanOrEqualTo(200);
      assertThat(figures.get("guarded").asInt()).isGreaterThanOrEqualTo(980);
    }
  }

  @Test
  void oneCrowdAtATime() throws Exception {
    DemoLoad load = shop.bean(DemoLoad.class);
    var first = load.start(List.of("none", "atomic"), new DemoLoad.Spec(100_000, 100_000, 8, 1));

    assertThatThrownBy(() -> load.start(List.of("lock"), new DemoLoad.Spec(1, 1, 1, 1)))
        .isInstanceOf(ResponseStatusException.class);
    assertThat(shop.post("/load/lock").statusCode()).isEqualTo(409);

    load.stop();
    assertThat(load.state().waiting()).isEmpty();
    DemoLoad.Progress end = first.get(60, TimeUnit.SECONDS);
    if (end != null) { // else it had not begun
      assertThat(end.strategy()).isEqualTo("none");
      assertThat(end.answers().requests()).isLessThan(100_000);
    }
    assertThat(shop.crowd("lock", 1, 2).answers().sold()).isEqualTo(1);
  }
}
