package dev.sluice.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.limit.LimitPlans;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.cache.GuardedCacheAutoConfiguration;
import dev.sluice.spring.limit.RateLimitAutoConfiguration;
import dev.sluice.spring.limit.RateLimiters;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A real Tomcat, a real client, and the conditions of the endpoints. */
class SluiceEndpointTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static ConfigurableApplicationContext app;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableCaching
  static class App {
    @Bean
    LimitPlans plans() {
      return key -> null;
    }
  }

  @BeforeAll
  static void start() {
    app =
        new SpringApplicationBuilder(App.class)
            .run(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--spring.main.banner-mode=off",
                "--management.endpoints.web.exposure.include=sluicelocks,sluicelimits,sluicecaches",
                "--sluice.store=memory",
                "--sluice.endpoints.force-release=true",
                "--sluice.limiters.api.limits=token-bucket 2/1d",
                "--sluice.limiters.api.plans.pro=token-bucket 9/1d",
                "--sluice.cache.caches.prices.type=java.lang.String");
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  private static HttpResponse<String> send(String method, String path)
      throws IOException, InterruptedException {
    String place =
        "http://127.0.0.1:" + app.getEnvironment().getProperty("local.server.port") + "/actuator/";
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(place + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static JsonNode get(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = send("GET", path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(answer.body());
  }

  @Test
  void locksAreListedAndShown() throws Exception {
    Sluice sluice = app.getBean(Sluice.class);
    try (Lease lease = sluice.lock("orders/42").acquire(Duration.ZERO);
        Lease other = sluice.lock("orders/43").acquire(Duration.ZERO)) {
      JsonNode one = get("sluicelocks/orders/42");
      assertThat(one.path("name").asString()).isEqualTo("orders/42");
      assertThat(one.path("holder").path("client").asString()).isEqualTo(sluice.clientId());
      assertThat(one.path("holder").path("token").asLong()).isEqualTo(lease.token());
      assertThat(one.path("holder").has("remaining")).isTrue();
      assertThat(one.path("waiters").isEmpty()).isTrue();
      assertThat(get("sluicelocks").path("locks").findValuesAsString("name"))
          .contains("orders/42", "orders/43");
      JsonNode few = get("sluicelocks?limit=1");
      assertThat(few.path("locks")).hasSize(1);
      assertThat(few.path("more").asBoolean()).isTrue();
    }
    assertThat(get("sluicelocks/nobody/knows").path("holder").isNull()).isTrue();
    assertThat(send("GET", "sluicelocks?limit=0").statusCode()).isEqualTo(400);
    assertThat(send("GET", "sluicelocks?limit=1001").statusCode()).isEqualTo(400);
  }

  @Test
  void aLockIsTakenFromItsHolderWhereThatIsAllowed() throws Exception {
    Lease lease = app.getBean(Sluice.class).lock("hangs/1").acquire(Duration.ZERO);

    HttpResponse<String> answer = send("DELETE", "sluicelocks/hangs/1");

    assertThat(answer.statusCode()).isEqualTo(200);
    JsonNode released = JsonMapper.shared().readTree(answer.body());
    assertThat(released.path("released").asBoolean()).isTrue();
    assertThat(released.path("holder").path("token").asLong()).isEqualTo(lease.token());
    assertThat(released.path("fence").asLong()).isGreaterThan(lease.token());
    assertThat(lease.renew(Duration.ofSeconds(1))).isFalse();
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    assertThat(send("DELETE", "sluicelocks/hangs/1").body()).contains("\"released\":false");
  }

  /** Whoever may release may name a lock; the line tells what was asked for. */
  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void aNameForgesNoLineOfTheLog(CapturedOutput output) throws Exception {
    try (Lease lease =
        app.getBean(Sluice.class).lock("a\nb\u2028c\u202ed").acquire(Duration.ZERO)) {
      HttpResponse<String> answer = send("DELETE", "sluicelocks/a%0Ab%E2%80%A8c%E2%80%AEd");

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(output)
          .contains(
              "lock 'a\\u000ab\\u2028c\\u202ed' released by force through the endpoint: token "
                  + lease.token());
    }
  }

  @Test
  void limitersAreListedAndShownWithAKey() throws Exception {
    app.getBean(RateLimiters.class).get("api").tryAcquire("ann", 2);

    JsonNode all = get("sluicelimits");
    assertThat(all.path("api").path("limits").get(0).asString()).startsWith("token-bucket 2/1d");
    assertThat(all.path("api").path("stats").path("allowed").asLong()).isPositive();
    assertThat(all.toString()).doesNotContain("ann");
    assertThat(all.path("api").path("plans").path("pro").get(0).asString())
        .startsWith("token-bucket 9/1d");
    JsonNode key = get("sluicelimits/api?key=ann").path("key");
    assertThat(key.path("allowed").asBoolean()).isFalse();
    assertThat(get("sluicelimits/api?key=bob").path("key").path("allowed").asBoolean()).isTrue();
    assertThat(send("GET", "sluicelimits/none").statusCode()).isEqualTo(404);
  }

  @Test
  void cachesAreListedAndShown() throws Exception {
    app.getBean(CacheManager.class).getCache("prices").get("tea", () -> "5");

    assertThat(get("sluicecaches").path("prices").path("loads").asLong()).isEqualTo(1);
    assertThat(get("sluicecaches/prices").path("loads").asLong()).isEqualTo(1);
    assertThat(send("GET", "sluicecaches/none").statusCode()).isEqualTo(404);
    assertThat(app.getBean(CacheManager.class).getCacheNames()).containsExactly("prices");
  }

  // ---- conditions ----

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  EndpointAutoConfiguration.class,
                  SluiceAutoConfiguration.class,
                  RateLimitAutoConfiguration.class,
                  GuardedCacheAutoConfiguration.class,
                  SluiceEndpointAutoConfiguration.class))
          .withPropertyValues("sluice.store=memory");

  @Test
  void thereAreNoneUnlessTheyAreExposed() {
    runner.run(
        context ->
            assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(SluiceLocksEndpoint.class)
                .doesNotHaveBean(SluiceLimitsEndpoint.class)
                .doesNotHaveBean(SluiceCachesEndpoint.class));
  }

  @Test
  void theyOnlyReadUnlessSettingsSayOtherwise() {
    ApplicationContextRunner exposed =
        runner.withPropertyValues("management.endpoints.web.exposure.include=*");
    exposed.run(
        context ->
            assertThat(context)
                .hasSingleBean(SluiceLocksEndpoint.class)
                .doesNotHaveBean(ReleasingLocksEndpoint.class)
                .hasSingleBean(SluiceLimitsEndpoint.class)
                .doesNotHaveBean(SluiceCachesEndpoint.class)); // nobody enabled caching
    exposed
        .withPropertyValues("sluice.endpoints.force-release=false")
        .run(context -> assertThat(context).doesNotHaveBean(ReleasingLocksEndpoint.class));
    exposed
        .withPropertyValues("sluice.endpoints.force-release=true")
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(SluiceLocksEndpoint.class)
                    .hasSingleBean(ReleasingLocksEndpoint.class));
    exposed
        .withPropertyValues("management.endpoint.sluicelocks.access=NONE")
        .run(context -> assertThat(context).doesNotHaveBean(SluiceLocksEndpoint.class));
    exposed
        .withPropertyValues("sluice.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(SluiceLocksEndpoint.class));
    exposed
        .withClassLoader(new FilteredClassLoader(Endpoint.class))
        .run(
            context ->
                assertThat(context).hasBean("sluice").doesNotHaveBean("sluiceLocksEndpoint"));
  }
}
