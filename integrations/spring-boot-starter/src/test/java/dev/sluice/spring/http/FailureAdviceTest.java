package dev.sluice.spring.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.spring.HeldStore;
import dev.sluice.spring.limit.RateLimited;
import dev.sluice.spring.lock.Locked;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** A real Tomcat, and controllers that let exceptions of Sluice through. */
class FailureAdviceTest {
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
            .run();
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  private static HttpResponse<String> get(String path) throws Exception {
    return get(app, path);
  }

  private static HttpResponse<String> get(ConfigurableApplicationContext app, String path)
      throws Exception {
    String port = app.getEnvironment().getProperty("local.server.port");
    return HTTP.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(60))
            .build(),
        BodyHandlers.ofString());
  }

  private static void assertProblem(String path, int status, String title, String detail)
      throws Exception {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).as(path).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    Map<String, Object> problem = JsonParserFactory.getJsonParser().parseMap(answer.body());
    assertThat(problem)
        .containsEntry("type", "about:blank")
        .containsEntry("title", title)
        .containsEntry("status", status);
    assertThat(String.valueOf(problem.get("detail"))).contains(detail);
    assertThat(answer.body()).as("no name goes out").doesNotContain("secret");
  }

  @ParameterizedTest
  @CsvSource({"/now", "/later"})
  void aLockThatIsHeldIsAnswered409(String path) throws Exception {
    Sluice sluice = app.getBean(Sluice.class);
    try (Lease lease = sluice.lock("secret").acquire(Duration.ofSeconds(10))) {
      assertProblem(path, 409, "Conflict", "another holder has the lock");
    }
    assertThat(get(path).body()).isEqualTo("done");
  }

  @ParameterizedTest
  @CsvSource({
    "/away, the store cannot be used at present",
    "/unknown, it is unknown whether the request took effect"
  })
  void aStoreThatIsAwayIsAnswered503(String path, String detail) throws Exception {
    assertProblem(path, 503, "Service Unavailable", detail);
  }

  @Test
  void aLeaseThatIsLostIsAnswered500() throws Exception {
    assertProblem("/lost", 500, "Internal Server Error", "the request may have taken effect");
  }

  /** The limiter refuses all calls while the store is away. */
  @Test
  void aLimiterThatClosesWithItsStoreIsAnswered503() throws Exception {
    try (ConfigurableApplicationContext away =
        new SpringApplicationBuilder(Away.class)
            .properties(
                "server.port=0",
                "server.address=127.0.0.1",
                "spring.main.banner-mode=off",
                "sluice.limiters.secret.limits=fixed-window 5/1d",
                "sluice.limiters.secret.outage=closed")
            .run()) {
      HttpResponse<String> answer = get(away, "/limited");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
      assertThat(answer.headers().firstValueAsLong("Retry-After").orElseThrow()).isPositive();
      assertThat(JsonParserFactory.getJsonParser().parseMap(answer.body()))
          .containsEntry("title", "Service Unavailable")
          .containsEntry("status", 503)
          .doesNotContainKey("violated-policies");
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({LimitedApi.class, Limited.class, CatchAll.class})
  static class Away {
    @Bean
    Sluice sluice() {
      return Sluice.builder().backend(HeldStore.until(new CompletableFuture<>())).build();
    }
  }

  @Service
  static class Limited {
    @RateLimited(limiter = "secret", key = "'all'")
    public String now() {
      return "done";
    }
  }

  @RestController
  static class LimitedApi {
    private final Limited limited;

    LimitedApi(Limited limited) {
      this.limited = limited;
    }

    @GetMapping("/limited")
    String limited() {
      return limited.now();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({Api.class, Guarded.class, CatchAll.class})
  static class App {}

  @Service
  static class Guarded {
    @Locked(name = "secret", waitUpTo = "0s")
    public String now() {
      return "done";
    }

    @Locked(name = "secret", waitUpTo = "0s")
    public CompletionStage<String> later() {
      return CompletableFuture.completedFuture("done");
    }
  }

  @RestController
  static class Api {
    private final Guarded guarded;
    private final Sluice sluice;

    Api(Guarded guarded, Sluice sluice) {
      this.guarded = guarded;
      this.sluice = sluice;
    }

    @GetMapping("/now")
    String now() {
      return guarded.now();
    }

    @GetMapping("/later")
    CompletionStage<String> later() {
      return guarded.later();
    }

    @GetMapping("/away")
    String away() {
      throw new BackendException("Redis did not answer 'acquire secret'", null);
    }

    @GetMapping("/unknown")
    String unknown() {
      throw new OutcomeUnknownException("Redis did not answer 'acquire secret'", null);
    }

    @GetMapping("/lost")
    String lost() throws InterruptedException {
      Lease lease =
          sluice
              .lock("secret/lost", LockOptions.fixed(Duration.ofSeconds(10)))
              .acquire(Duration.ofSeconds(10));
      lease.close();
      lease.checkHeld();
      return "not reached";
    }
  }

  /** As many applications have one. */
  @RestControllerAdvice
  static class CatchAll {
    @ExceptionHandler(Exception.class)
    String broken(Exception e) {
      return "broken: " + e;
    }
  }
}
