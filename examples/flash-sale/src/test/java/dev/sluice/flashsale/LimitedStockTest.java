package dev.sluice.flashsale;

import static dev.sluice.flashsale.SaleInstances.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The sale of the limited stock over its public address. */
class LimitedStockTest {
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

  private static void reset(int stock) throws Exception {
    assertThat(shop.post("/sale/inventory/reset?stock=" + stock).statusCode()).isEqualTo(200);
  }

  private static JsonNode order(String buyer) throws Exception {
    return json(shop.get("/buyer/order?buyer=" + buyer));
  }

  private static String await(String buyer, String answer) {
    return Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> order(buyer), told -> told.get("answer").asString().equals(answer))
        .get("claim")
        .asString();
  }

  @Test
  void aBuyerWithATokenIsQueuedThenOrderedAndPays() throws Exception {
    reset(5);
    JsonNode queued = json(shop.claim("ann", shop.token("ann"), "r1"));

    assertThat(queued.get("answer").asString()).isEqualTo("queued");
    String claim = await("ann", "ordered");
    assertThat(claim).isEqualTo(queued.get("claim").asString());
    assertThat(json(shop.claim("ann", shop.token("ann"), "r1")).get("claim").asString())
        .as("the same request")
        .isEqualTo(claim);

    Awaitility.await()
        .until(
            () ->
                json(shop.post("/buyer/pay?buyer=ann&claim=" + claim))
                    .get("answer")
                    .asString()
                    .equals("paid"));
    assertThat(json(shop.post("/buyer/cancel?buyer=ann&claim=" + claim)).get("answer").asString())
        .isEqualTo("paid");
    JsonNode detail = json(shop.get("/sale/inventory/detail"));
    assertThat(detail.get("sold").asInt()).isEqualTo(1);
    assertThat(detail.get("unitsLeft").asInt()).isEqualTo(4);
  }

  @Test
  void whatABuyerGivesUpIsBackInTheStock() throws Exception {
    reset(5);
    shop.claim("eve", shop.token("eve"), "r1");
    String claim = await("eve", "ordered");

    Awaitility.await() // the drain may not have told the store yet
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> json(shop.post("/buyer/cancel?buyer=eve&claim=" + claim)),
            answer -> answer.get("answer").asString().equals("cancelled"));
    await("eve", "cancelled");
    assertThat(json(shop.get("/sale/inventory/detail")).get("unitsLeft").asInt()).isEqualTo(5);
  }

  @Test
  void withoutAGoodTokenNobodyGetsToTheStock() throws Exception {
    reset(5);

    for (String token : List.of("", "12345.abc", shop.token("somebody-else"))) {
      HttpResponse<String> answer = shop.claim("mallory", token, "r1");
      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(json(answer).get("answer").asString()).isEqualTo("no token");
    }
    String old = shop.token("mallory");
    reset(5);
    assertThat(shop.claim("mallory", old, "r1").statusCode()).as("another sale").isEqualTo(403);
    assertThat(order("mallory").get("answer").asString()).isEqualTo("nothing");
  }

  @Test
  void oneBuyerIsLimitedAndOthersAreNot() throws Exception {
    reset(5);
    String token = shop.token("greedy");
    HttpResponse<String> answer;
    int passed = 0;
    do {
      answer = shop.claim("greedy", token, "r" + passed);
      passed++;
    } while (answer.statusCode() == 200 && passed < 1000);

    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
    assertThat(passed).isGreaterThan(5);
    assertThat(shop.claim("modest", shop.token("modest"), "r1").statusCode()).isEqualTo(200);
    assertThat(json(shop.get("/sale/inventory/detail")).get("answered").get("refused").asInt())
        .isEqualTo(1);
  }

  @Test
  void strangersAreAnsweredInOneLengthAndGetWhatThereIs() throws Exception {
    reset(2);
    HttpResponse<String> first = shop.get("/sale/inventory");
    assertThat(json(first).get("answer").asString()).isEqualTo("queued");
    assertThat(json(shop.get("/sale/inventory")).get("answer").asString()).isEqualTo("queued");
    HttpResponse<String> last = shop.get("/sale/inventory");
    assertThat(json(last).get("answer").asString()).isEqualTo("sold out");
    assertThat(last.body()).as("one length, or ab calls it a failure").hasSameSizeAs(first.body());
    assertThat(shop.get("/nothing").body()).hasSameSizeAs(first.body());
  }

  @Test
  void aCrowdBuysExactlyTheStockAndMostOfItPays() throws Exception {
    DemoLoad.Progress end = shop.crowd("inventory", 200, 600);
    assertThat(end.answers().sold()).isEqualTo(200);
    assertThat(end.answers().soldOut()).isEqualTo(400);

    LimitedStock stock = shop.bean(LimitedStock.class);
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> {
              Map<String, Long> stages = stock.stages();
              assertThat(stages).containsEntry("admitted", 200L).containsEntry("queued", 0L);
              assertThat(stages.get("paid")).isBetween(120L, 199L);
              assertThat(stages.get("paid") + stages.get("pending")).isEqualTo(200);
            });
    assertThat(shop.sales(0).freshDetail("inventory").oversold()).isZero();
  }
}
