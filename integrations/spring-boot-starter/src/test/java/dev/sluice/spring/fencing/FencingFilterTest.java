package dev.sluice.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.guard.FencingHeader;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.guard.GuardStats;
import dev.sluice.guard.MemoryGuard;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.jdbc.JdbcGuard;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LockOptions;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.internal.SettingException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.context.request.async.DeferredResult;

/** A real Tomcat and real clients. */
class FencingFilterTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static ConfigurableApplicationContext app;

  @BeforeAll
  static void start() {
    app =
        new SpringApplicationBuilder(App.class)
            .properties(
                "server.port=0",
                "server.address=127.0.0.1",
                "spring.main.banner-mode=off",
                "sluice.store=memory")
            .run(
                "--spring.datasource.url=jdbc:h2:mem:fencing;DB_CLOSE_DELAY=-1",
                "--sluice.fencing.rules[0].path=/accounts/{id}/**",
                "--sluice.fencing.rules[0].resource=accounts/{id}",
                "--sluice.fencing.rules[0].guard=inMemory",
                "--sluice.fencing.rules[1].path=/ledgers/{id}/**",
                "--sluice.fencing.rules[1].resource=ledgers/{id}",
                "--sluice.fencing.rules[1].guard=inDatabase",
                "--sluice.fencing.rules[1].required=always",
                "--sluice.fencing.rules[2].path=/away",
                "--sluice.fencing.rules[2].guard=away",
                "--sluice.fencing.rules[2].required=never");
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  private static String url(String path) {
    return "http://127.0.0.1:" + app.getEnvironment().getProperty("local.server.port") + path;
  }

  private static HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url(path))).timeout(Duration.ofSeconds(60));
  }

  private static HttpResponse<String> put(String path, String body, String... tokens)
      throws Exception {
    HttpRequest.Builder request = request(path).PUT(BodyPublishers.ofString(body));
    for (String token : tokens) {
      request.header("Fencing-Token", token);
    }
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void aStaleTokenIsAnswered412WithBothTokens() throws Exception {
    assertThat(put("/accounts/7", "1", "17:a.1").statusCode()).isEqualTo(200);
    assertThat(put("/accounts/7", "2", "18:b.1").body()).isEqualTo("token 18:b.1");

    HttpResponse<String> refused = put("/accounts/7", "3", "17:a.1");

    assertThat(refused.statusCode()).isEqualTo(412);
    assertThat(refused.headers().firstValue("Fencing-Token")).hasValue("18:b.1");
    assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(JsonParserFactory.getJsonParser().parseMap(refused.body()))
        .containsEntry("type", "about:blank")
        .containsEntry("title", "Precondition Failed")
        .containsEntry("status", 412)
        .containsEntry("detail", "the resource has seen a higher token")
        .containsEntry("resource", "accounts/7")
        .containsEntry("refused", "17:a.1")
        .containsEntry("highest", "18:b.1");
    assertThat(app.getBean(Api.class).balances).containsEntry("7", "2");
    assertThat(put("/accounts/8", "1", "17:a.1").statusCode()).as("another one").isEqualTo(200);
  }

  @Test
  void theSameTokenOfAnotherAttemptIsAnswered409() throws Exception {
    assertThat(put("/accounts/twins", "1", "17:a.1").statusCode()).isEqualTo(200);
    assertThat(put("/accounts/twins", "1", "17:a.1").statusCode()).isEqualTo(200);
    HttpResponse<String> refused = put("/accounts/twins", "2", "17:b.1");
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains("\"highest\":\"17:a.1\"");
  }

  @Test
  void aReadThatCarriesATokenRaisesTheGuard() throws Exception {
    assertThat(put("/accounts/read", "1", "17:a.1").statusCode()).isEqualTo(200);
    HttpRequest read = request("/accounts/read").header("Fencing-Token", "18:b.1").build();
    assertThat(HTTP.send(read, BodyHandlers.ofString()).body()).isEqualTo("1");
    assertThat(put("/accounts/read", "2", "17:a.1").statusCode()).isEqualTo(412);
    HttpRequest passer = request("/accounts/read").build();
    assertThat(HTTP.send(passer, BodyHandlers.ofString()).statusCode())
        .as("a read without a section")
        .isEqualTo(200);
  }

  @Test
  void aWriteWithoutATokenIsAnswered428() throws Exception {
    HttpResponse<String> refused = put("/accounts/9", "1");
    assertThat(refused.statusCode()).isEqualTo(428);
    assertThat(refused.body()).contains("the header Fencing-Token is missing");
    assertThat(HTTP.send(request("/ledgers/9/x").build(), BodyHandlers.ofString()).statusCode())
        .as("always required")
        .isEqualTo(428);
    assertThat(put("/free", "1").statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"17", "x", "17:", "017:a", "17:a b", "17:a, 18:b", "\"17:a\"", "0:a", ""})
  void aTokenThatIsNoneIsAnswered400(String token) throws Exception {
    HttpResponse<String> refused = put("/accounts/9", "1", token);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
  }

  @Test
  void twoTokensAreNone() throws Exception {
    assertThat(put("/accounts/9", "1", "17:a", "17:a").statusCode()).isEqualTo(400);
  }

  @Test
  void aNameThatIsTooLongIsAnswered400() throws Exception {
    assertThat(put("/accounts/" + "x".repeat(600), "1", "17:a").statusCode()).isEqualTo(400);
  }

  @Test
  void aGuardWhoseStoreIsAwayIsAnswered503() throws Exception {
    assertThat(put("/away", "1", "17:a").statusCode()).isEqualTo(503);
    assertThat(put("/away", "1").statusCode()).as("no token, and none wanted").isEqualTo(200);
  }

  /** The filter's own look is a moment early; the controller's transaction is what counts. */
  @Test
  void aControllerShowsTheTokenToItsDatabase() throws Exception {
    assertThat(put("/ledgers/1/entry", "5", "18:b.1").statusCode()).isEqualTo(200);
    assertThat(put("/ledgers/1/entry", "6", "17:a.1").statusCode()).isEqualTo(412);
    app.getBean(Api.class).beforeTheTransaction =
        () -> app.getBean(Api.class).advanceInTransaction("ledgers/1", "30:c.1");
    try {
      HttpResponse<String> overtaken = put("/ledgers/1/entry", "7", "29:b.2");
      assertThat(overtaken.statusCode()).isEqualTo(412);
      assertThat(overtaken.body()).contains("\"highest\":\"30:c.1\"");
    } finally {
      app.getBean(Api.class).beforeTheTransaction = () -> {};
    }
    assertThat(app.getBean(JdbcTemplate.class).queryForList("SELECT amount FROM entry")).hasSize(1);
  }

  /** Neither a slow sender nor a slow controller holds up anybody's thread. */
  @Test
  void aGuardInMemoryAdmitsOneTokenUntilTheAnswer() throws Exception {
    Api api = app.getBean(Api.class);
    int port = Integer.parseInt(app.getEnvironment().getProperty("local.server.port", "0"));
    try (Socket slow = new Socket("127.0.0.1", port)) {
      slow.setSoTimeout(60_000);
      slow.getOutputStream()
          .write(
              ("PUT /accounts/slow/upload HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                      + "Fencing-Token: 17:a.1\r\nContent-Length: 2\r\n\r\n1")
                  .getBytes(StandardCharsets.ISO_8859_1));
      assertThat(api.uploading.await(60, TimeUnit.SECONDS)).isTrue();

      for (int i = 0; i < 10; i++) {
        HttpResponse<String> later = put("/accounts/slow", "2", "18:b.1");
        assertThat(later.statusCode()).isEqualTo(503);
        assertThat(later.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(later.body()).contains("a request with another fencing token is under way");
      }
      assertThat(put("/accounts/slow", "3", "17:a.1").statusCode()).as("overtaken").isEqualTo(412);
      assertThat(put("/accounts/other", "1", "17:a.1").statusCode()).isEqualTo(200);
      assertThat(api.balances).doesNotContainKey("slow");

      slow.getOutputStream().write('7');
      assertThat(new String(slow.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
          .startsWith("HTTP/1.1 200");
    }
    assertThat(api.balances).containsEntry("slow", "17");
    assertThat(put("/accounts/slow", "2", "18:b.1").statusCode()).isEqualTo(200);
    assertThat(api.balances).containsEntry("slow", "2");
  }

  @Test
  void requestsOfOneSectionRunSideBySide() throws Exception {
    Api api = app.getBean(Api.class);
    CompletableFuture<HttpResponse<String>> first = putLater("/accounts/both/later", "17:a.1");
    CompletableFuture<HttpResponse<String>> second = putLater("/accounts/both/later", "17:a.1");
    DeferredResult<String> one = api.later.poll(60, TimeUnit.SECONDS);
    DeferredResult<String> two = api.later.poll(60, TimeUnit.SECONDS);

    one.setResult("one");
    assertThat(CompletableFuture.anyOf(first, second).get(60, TimeUnit.SECONDS)).isNotNull();
    assertThat(put("/accounts/both", "2", "18:b.1").statusCode()).as("one more").isEqualTo(503);
    two.setErrorResult(new IllegalStateException("broken"));
    assertThat(Stream.of(first, second).map(CompletableFuture::join).map(HttpResponse::statusCode))
        .containsExactlyInAnyOrder(200, 500);
    // the section ends with the request, and a client may have the answer a moment before
    await().until(() -> put("/accounts/both", "2", "18:b.1").statusCode() == 200);
  }

  private static CompletableFuture<HttpResponse<String>> putLater(String path, String token) {
    return HTTP.sendAsync(
        request(path).header("Fencing-Token", token).PUT(BodyPublishers.noBody()).build(),
        BodyHandlers.ofString());
  }

  @Test
  void clientsSendTheTokenOfTheirLeaseAndHearOfALaterOne() throws Exception {
    try (Sluice sluice = Sluice.connect("memory:")) {
      Lease old =
          sluice.lock("clients", LockOptions.fixed(Duration.ofSeconds(30))).acquire(ofSeconds());
      RestClient rest =
          RestClient.builder().requestInterceptor(FencingInterceptor.perRequest()).build();
      RestTemplate template = new RestTemplate();
      template.getInterceptors().add(FencingInterceptor.of(old));
      assertThat(
              rest.put()
                  .uri(url("/accounts/clients"))
                  .attributes(FencingInterceptor.with(old))
                  .body("1")
                  .retrieve()
                  .body(String.class))
          .isEqualTo("token " + FencingToken.of(old));
      template.put(url("/accounts/clients"), "2");

      String later = (old.token() + 1) + ":someone.1";
      assertThat(put("/accounts/clients", "3", later).statusCode()).isEqualTo(200);

      assertThatThrownBy(() -> template.put(url("/accounts/clients"), "4"))
          .isInstanceOfSatisfying(
              StaleTokenException.class,
              refusal -> {
                assertThat(refusal.resource()).isEqualTo("/accounts/clients");
                assertThat(refusal.refused()).isEqualTo(FencingToken.of(old));
                assertThat(refusal.highest()).isEqualTo(FencingToken.parse(later));
              });
      assertThatThrownBy(
              () ->
                  rest.put()
                      .uri(url("/accounts/clients"))
                      .attributes(FencingInterceptor.with(old))
                      .body("5")
                      .retrieve()
                      .toBodilessEntity())
          .isInstanceOf(StaleTokenException.class);
      HttpRequest bare =
          FencingHeader.on(request("/accounts/clients"), old)
              .PUT(BodyPublishers.ofString("6"))
              .build();
      HttpResponse<String> answer = HTTP.send(bare, BodyHandlers.ofString());
      assertThatThrownBy(() -> FencingHeader.checked(answer))
          .isInstanceOf(StaleTokenException.class)
          .hasMessageContaining(later.split(":")[0]);
      assertThat(app.getBean(Api.class).balances).containsEntry("clients", "3");

      old.close();
      assertThatThrownBy(() -> template.put(url("/accounts/clients"), "7"))
          .isInstanceOf(LeaseLostException.class);
      assertThatThrownBy(() -> FencingHeader.on(request("/accounts/clients"), old))
          .isInstanceOf(LeaseLostException.class);
    }
  }

  private static Duration ofSeconds() {
    return Duration.ofSeconds(10);
  }

  @Test
  void whatGuardsDecideIsCounted() throws Exception {
    MeterRegistry registry = app.getBean(MeterRegistry.class);
    put("/accounts/counted", "1", "18:b.1");
    put("/accounts/counted", "1", "17:a.1");
    GuardStats stats = app.getBean("inMemory", Guard.class).stats();
    assertThat(stats.refused()).isPositive();
    System.gc(); // meters keep nothing alive, so they must read the guard itself
    assertThat(
            registry
                .get("sluice.guard.accesses")
                .tags("guard", "inMemory", "result", "refused")
                .functionCounter()
                .count())
        .isEqualTo(stats.refused());
    assertThat(
            registry
                .get("sluice.guard.accesses")
                .tags("guard", "jdbcGuard", "result", "admitted")
                .functionCounter())
        .isNotNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "path=accounts | rules[0].path: must start with '/'",
        "path=/a/{id | rules[0].path: ",
        "path=/a/** | rules[0].resource: must be set",
        "path=/a/{id}; resource=a/{other} | rules[0].resource: the path '/a/{id}' has no variable"
            + " {other}",
        "path=/a; guard=nobody | rules[0].guard: must be the name of a bean of type Guard"
      })
  void aRuleThatCannotWorkEndsTheStart(String settings, String problem) {
    WebApplicationContextRunner runner =
        new WebApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(
                    SluiceAutoConfiguration.class, FencingAutoConfiguration.class))
            .withBean(Guard.class, MemoryGuard::create);
    for (String setting : settings.split("; ")) {
      runner = runner.withPropertyValues("sluice.fencing.rules[0]." + setting.trim());
    }
    runner.run(
        context ->
            assertThat(context)
                .hasFailed()
                .getFailure()
                .rootCause()
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("sluice.fencing." + problem));
  }

  @Test
  void aGuardMustBeDefined() {
    WebApplicationContextRunner runner =
        new WebApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(
                    SluiceAutoConfiguration.class, FencingAutoConfiguration.class));
    WebApplicationContextRunner rule =
        runner.withPropertyValues("sluice.fencing.rules[0].path=/accounts/{id}");
    rule.run(
        context ->
            assertThat(context)
                .hasFailed()
                .getFailure()
                .rootCause()
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("sluice.fencing.rules[0].guard: needs a bean of type Guard")
                .hasMessageContaining("MemoryGuard.create()"));
    rule.withBean(Guard.class, MemoryGuard::create)
        .run(context -> assertThat(context).hasNotFailed().hasBean("sluiceFencingFilter"));
    runner.run(
        context ->
            assertThat(context)
                .doesNotHaveBean(Guard.class)
                .doesNotHaveBean("sluiceFencingFilter")
                .hasNotFailed());
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Api.class)
  static class App {
    @Bean
    MeterRegistry meterRegistry() {
      return new SimpleMeterRegistry();
    }

    @Bean
    Guard inMemory() {
      return MemoryGuard.create();
    }

    @Bean
    JdbcGuard jdbcGuard(DataSource database) {
      JdbcGuard guard = JdbcGuard.create(database);
      guard.createTable();
      new JdbcTemplate(database).execute("CREATE TABLE entry (amount INTEGER)");
      return guard;
    }

    @Bean
    Guard inDatabase(DataSource database) {
      return JdbcGuard.create(database);
    }

    @Bean
    Guard away() {
      return new Guard() {
        @Override
        public void advance(String resource, FencingToken token) {
          throw new BackendException("nobody there", null);
        }

        @Override
        public void check(String resource, FencingToken token) {
          advance(resource, token);
        }

        @Override
        public GuardStats stats() {
          return new GuardStats(0, 0);
        }
      };
    }
  }

  @RestController
  static class Api {
    final ConcurrentHashMap<String, String> balances = new ConcurrentHashMap<>();
    final CountDownLatch uploading = new CountDownLatch(1);
    final LinkedBlockingQueue<DeferredResult<String>> later = new LinkedBlockingQueue<>();
    volatile Runnable beforeTheTransaction = () -> {};
    private final JdbcGuard guard;
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;

    Api(
        @Qualifier("jdbcGuard") JdbcGuard guard,
        JdbcTemplate jdbc,
        TransactionTemplate transaction) {
      this.guard = guard;
      this.jdbc = jdbc;
      this.transaction = transaction;
    }

    @GetMapping("/accounts/{id}")
    String read(@PathVariable String id) {
      return balances.getOrDefault(id, "none");
    }

    @PutMapping("/accounts/{id}")
    String write(
        @PathVariable String id,
        @RequestBody String balance,
        @RequestAttribute(FencingHeader.NAME) FencingToken token) {
      balances.put(id, balance);
      return "token " + token;
    }

    @PutMapping("/accounts/{id}/upload")
    String upload(@PathVariable String id, InputStream body) throws IOException {
      uploading.countDown();
      balances.put(id, new String(body.readAllBytes(), StandardCharsets.ISO_8859_1));
      return "uploaded";
    }

    @PutMapping("/accounts/{id}/later")
    DeferredResult<String> later(@PathVariable String id) {
      DeferredResult<String> result = new DeferredResult<>();
      later.add(result);
      return result;
    }

    @PutMapping({"/free", "/away"})
    String free() {
      return "fine";
    }

    @PutMapping("/ledgers/{id}/entry")
    String enter(
        @PathVariable String id,
        @RequestBody String amount,
        @RequestAttribute(FencingHeader.NAME) FencingToken token) {
      beforeTheTransaction.run();
      transaction.executeWithoutResult(
          status -> {
            guard.advance(connection(), "ledgers/" + id, token);
            jdbc.update("INSERT INTO entry (amount) VALUES (?)", Integer.valueOf(amount));
          });
      return "entered";
    }

    void advanceInTransaction(String resource, String token) {
      transaction.executeWithoutResult(
          status -> guard.advance(connection(), resource, FencingToken.parse(token)));
    }

    private Connection connection() {
      return DataSourceUtils.getConnection(jdbc.getDataSource());
    }
  }
}
