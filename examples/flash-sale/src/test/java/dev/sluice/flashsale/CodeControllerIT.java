package dev.sluice.flashsale;

import static dev.sluice.flashsale.SaleInstances.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.RedisServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** One-time codes and the showcase over their public addresses. */
class CodeControllerIT {
  private static final Duration AGES = Duration.ofMinutes(1);

  @TempDir Path folder;

  private static String answer(HttpResponse<String> response) {
    return json(response).get("answer").asString();
  }

  @Test
  void aCodeIsSentCheckedOnceAndLimited() throws Exception {
    try (RedisServer redis = RedisServer.start();
        SaleInstances shop = new SaleInstances(1, folder, "redis://127.0.0.1:" + redis.port())) {
      HttpResponse<String> sent = shop.post("/code/send?phone=%2B4912345678");
      assertThat(sent.statusCode()).isEqualTo(200);
      assertThat(sent.headers().firstValue("Cache-Control")).hasValue("no-store");
      String code = json(sent).get("message").asString();

      HttpResponse<String> again = shop.post("/code/send?phone=%2B4912345678");
      assertThat(again.statusCode()).isEqualTo(429);
      assertThat(answer(again)).isEqualTo("limited");
      long seconds = Long.parseLong(again.headers().firstValue("Retry-After").orElseThrow());
      assertThat(seconds).isBetween(1L, 60L);

      String check = "/code/check?phone=%2B4912345678&code=";
      JsonNode wrong = json(shop.post(check + (code.equals("000000") ? "1" : "000000")));
      assertThat(wrong.get("answer").asString()).isEqualTo("wrong");
      assertThat(wrong.get("left").asInt()).isEqualTo(2);
      assertThat(answer(shop.post(check + code))).isEqualTo("passed");
      assertThat(answer(shop.post(check + code))).isEqualTo("gone");
      assertThat(shop.post("/code/send?phone=none").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void theShowcaseFollowsTheSaleAndKnowsBuyersOfTheOneBefore() throws Exception {
    try (RedisServer redis = RedisServer.start();
        SaleInstances shop = new SaleInstances(1, folder, "redis://127.0.0.1:" + redis.port())) {
      buy(shop, "ann", "bob");
      long run = json(shop.get("/sale/inventory/detail")).get("run").asLong();
      assertThat(json(shop.get("/showcase")).get("buyers").asInt()).isEqualTo(2);
      buy(shop, "bob", "eve");

      JsonNode common = json(shop.get("/showcase/common?run=" + run));
      assertThat(common.get("count").asInt()).isEqualTo(1);
      assertThat(common.get("some").get(0).asString()).isEqualTo("bob");
      assertThat(shop.get("/showcase/common?run=x").statusCode()).isEqualTo(400);

      redis.kill();
      Awaitility.await().atMost(AGES).until(() -> shop.get("/showcase").statusCode() == 503);
      assertThat(shop.post("/code/check?phone=12345&code=1").statusCode()).isEqualTo(503);
    }
  }

  private static void buy(SaleInstances shop, String... buyers) throws Exception {
    assertThat(shop.post("/sale/inventory/reset?stock=5").statusCode()).isEqualTo(200);
    for (String buyer : buyers) {
      assertThat(answer(shop.claim(buyer, shop.token(buyer), "r1"))).isEqualTo("queued");
    }
    Awaitility.await()
        .atMost(AGES)
        .until(() -> json(shop.get("/showcase")).path("recent").size() == buyers.length);
  }

  @Test
  void withoutARedisThereAreNeither() throws Exception {
    try (SaleInstances shop = new SaleInstances(1, folder, "memory:")) {
      assertThat(shop.post("/code/send?phone=12345").statusCode()).isEqualTo(404);
      assertThat(shop.post("/code/check?phone=12345&code=1").statusCode()).isEqualTo(404);
      assertThat(shop.get("/showcase/common?run=1").statusCode()).isEqualTo(404);
    }
  }
}
