package dev.sluice.spring.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.LimitPlans;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.spring.HeldStore;
import dev.sluice.spring.internal.SettingException;
import dev.sluice.spring.limit.RateLimited;
import dev.sluice.spring.limit.RateLimiters;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** A real Tomcat and a real client. */
class RateLimitFilterTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static ConfigurableApplicationContext app;

  @BeforeAll
  static void start() {
    app =
        launch(
            App.class,
            "sluice.limiters.crowd.limits=fixed-window 100/1d",
            "sluice.limiters.crowd.deadline=30s", // four hundred at once, on any machine
            "sluice.limiters.two.limits[0]=token-bucket 2/1d burst 2 name user",
            "sluice.limiters.two.limits[1]=fixed-window 3/1d name all shared",
            "sluice.limiters.one.limits=token-bucket 1/2d burst 1",
            "sluice.limiters.one.overrides[header/big]=token-bucket 3/2d burst 3",
            "sluice.limiters.one.plans.gold=token-bucket 4/2d burst 4",
            "sluice.limiters.live.limits=fixed-window 1/1d",
            "sluice.limiters.method.limits=fixed-window 1/1d",
            "sluice.limiters.later.limits=fixed-window 1/1d",
            "sluice.limiters.heavy.limits=fixed-window 5/1d",
            "sluice.limiters.wide.limits=fixed-window 1000/1d",
            "sluice.http.trusted-proxies=127.0.0.1,10.0.0.0/8",
            "sluice.http.rate-limit-headers=true",
            "sluice.http.rules[0].path=/crowd/{id}",
            "sluice.http.rules[0].limiter=crowd",
            "sluice.http.rules[1].path=/two",
            "sluice.http.rules[1].limiter=two",
            "sluice.http.rules[1].key=principal",
            "sluice.http.rules[2].path=/one/**",
            "sluice.http.rules[2].limiter=one",
            "sluice.http.rules[2].key=header:X-Api-Key",
            "sluice.http.rules[3].path=/ip",
            "sluice.http.rules[3].limiter=one",
            "sluice.http.rules[3].key=ip",
            "sluice.http.rules[4].path=/live",
            "sluice.http.rules[4].limiter=live",
            "sluice.http.rules[4].key=perTenant",
            "sluice.http.rules[5].path=/heavy",
            "sluice.http.rules[5].limiter=wide",
            "sluice.http.rules[6].path=/heavy",
            "sluice.http.rules[6].limiter=heavy",
            "sluice.http.rules[6].cost=3");
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  private static ConfigurableApplicationContext launch(Class<?> type, String... settings) {
    return new SpringApplicationBuilder(type)
        .properties(
            "server.port=0",
            "server.address=127.0.0.1",
            "spring.main.banner-mode=off",
            "sluice.store=memory")
        .run(Arrays.stream(settings).map(setting -> "--" + setting).toArray(String[]::new));
  }

  private static HttpRequest.Builder request(
      ConfigurableApplicationContext app, String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:"
                        + app.getEnvironment().getProperty("local.server.port")
                        + path))
            .timeout(Duration.ofSeconds(60));
    return headers.length == 0 ? request : request.headers(headers);
  }

  private static HttpResponse<String> get(String path, String... headers) throws Exception {
    return HTTP.send(request(app, path, headers).build(), BodyHandlers.ofString());
  }

  private static int status(String path, String... headers) throws Exception {
    return get(path, headers).statusCode();
  }

  @Test
  void ofFourHundredAtOnceExactlyTheLimitPasses() {
    AtomicInteger before = app.getBean(Api.class).crowd;
    List<CompletableFuture<HttpResponse<Void>>> answers =
        Stream.generate(
                () ->
                    HTTP.sendAsync(
                        request(app, "/crowd/" + before.get()).build(), BodyHandlers.discarding()))
            .limit(400)
            .toList();

    List<Integer> codes =
        answers.stream().map(CompletableFuture::join).map(HttpResponse::statusCode).toList();

    assertThat(codes).filteredOn(code -> code == 200).hasSize(100);
    assertThat(codes).filteredOn(code -> code == 429).hasSize(300);
    assertThat(before).as("what reached the controller").hasValue(100);
  }

  @Test
  void aRefusalSaysWhenToComeBackAndWhatWasExceeded() throws Exception {
    assertThat(get("/one/a", "X-Api-Key", "secret-1").headers().firstValue("RateLimit"))
        .hasValueSatisfying(state -> assertThat(state).startsWith("\"one\";r=0;t=1728"));

    HttpResponse<String> refused = get("/one/b", "X-Api-Key", "secret-1");

    assertThat(refused.statusCode()).isEqualTo(429);
    long retryAfter = refused.headers().firstValueAsLong("Retry-After").orElseThrow();
    assertThat(retryAfter).isBetween(172_000L, 172_800L);
    assertThat(refused.headers().firstValue("RateLimit")).hasValue("\"one\";r=0;t=" + retryAfter);
    assertThat(refused.headers().firstValue("RateLimit-Policy")).hasValue("\"one\";q=1;w=172800");
    assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(JsonParserFactory.getJsonParser().parseMap(refused.body()))
        .containsEntry("type", "https://iana.org/assignments/http-problem-types#quota-exceeded")
        .containsEntry("status", 429)
        .containsEntry("violated-policies", List.of("one"));
    assertThat(refused.headers().map() + refused.body()).doesNotContain("secret");
  }

  @Test
  void everyTierIsAnnouncedAndTheRefusingOneNamed() throws Exception {
    HttpResponse<String> first = get("/two", "X-User", "ann");
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.headers().firstValue("RateLimit-Policy"))
        .hasValue("\"two/user\";q=2;w=86400, \"two/all\";q=3;w=86400");
    assertThat(status("/two", "X-User", "ann")).isEqualTo(200);
    assertThat(get("/two", "X-User", "ann").body()).contains("[\"two/user\"]");
    assertThat(status("/two", "X-User", "bob")).isEqualTo(200);

    HttpResponse<String> last = get("/two", "X-User", "bob");
    assertThat(last.statusCode()).as("the total is spent").isEqualTo(429);
    assertThat(last.body()).contains("[\"two/all\"]");
    assertThat(last.headers().firstValue("RateLimit"))
        .hasValueSatisfying(state -> assertThat(state).startsWith("\"two/all\";r=0;t="));
  }

  @Test
  void aKeyMayHaveLimitsOfItsOwn() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(status("/one/a", "X-Api-Key", "big")).isEqualTo(200);
    }
    HttpResponse<String> refused = get("/one/a", "X-Api-Key", "big");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("RateLimit-Policy")).hasValue("\"one\";q=3;w=172800");
  }

  @Test
  void aKeyMayHaveThePlanThatABeanReturns() throws Exception {
    HttpResponse<String> passed = get("/one/a", "X-Api-Key", "gold/1");
    assertThat(passed.statusCode()).isEqualTo(200);
    assertThat(passed.headers().firstValue("RateLimit-Policy")).hasValue("\"one\";q=4;w=172800");
  }

  @Test
  void whoLeavesTheHeaderOutIsKnownByTheAddress() throws Exception {
    String[] client = {"X-Forwarded-For", "198.51.100.77"};
    assertThat(status("/one/a", client)).isEqualTo(200);
    assertThat(status("/one/a", client)).isEqualTo(429);
    assertThat(status("/ip", client)).as("the same permits").isEqualTo(429);
    assertThat(status("/one/a", "X-Api-Key", "")).as("the peer itself").isEqualTo(200);
    assertThat(status("/one/a", "X-Api-Key", " ")).isEqualTo(429);
  }

  @Test
  void aLongHeaderIsKnownByItsHash() throws Exception {
    String key = "k".repeat(2000);
    assertThat(status("/one/a", "X-Api-Key", key)).isEqualTo(200);
    assertThat(status("/one/a", "X-Api-Key", key)).isEqualTo(429);
    assertThat(status("/one/a", "X-Api-Key", key + "2")).isEqualTo(200);
  }

  @Test
  void theAddressIsTakenFromTrustedProxiesOnly() throws Exception {
    assertThat(status("/ip", "X-Forwarded-For", "203.0.113.1")).isEqualTo(200);
    assertThat(status("/ip", "X-Forwarded-For", "9.9.9.9, 203.0.113.1"))
        .as("what the client wrote itself")
        .isEqualTo(429);
    assertThat(status("/ip", "X-Forwarded-For", "203.0.113.1, 10.1.2.3")).isEqualTo(429);
    assertThat(status("/ip", "X-Forwarded-For", "8.8.8.8", "X-Forwarded-For", "203.0.113.1"))
        .as("two lines are one list")
        .isEqualTo(429);
    assertThat(status("/ip", "X-Forwarded-For", "203.0.113.1", "Forwarded", "for=203.0.113.2"))
        .as("a header that our proxies do not write")
        .isEqualTo(429);
    assertThat(status("/ip", "X-Forwarded-For", "2001:db8:5:6::1")).isEqualTo(200);
    assertThat(status("/ip", "X-Forwarded-For", "2001:db8:5:6:7::2")).isEqualTo(429);
  }

  @Test
  void aClientDoesNotChooseItsAddressWhereSpringBelievesHeaders() throws Exception {
    String[] settings = {
      "server.forward-headers-strategy=framework",
      "sluice.limiters.one.limits=fixed-window 1/1d",
      "sluice.http.rules[0].path=/**",
      "sluice.http.rules[0].limiter=one"
    };
    try (ConfigurableApplicationContext behind =
        launch(
            Bare.class,
            Stream.concat(
                    Stream.of("sluice.http.trusted-proxies=127.0.0.1"), Arrays.stream(settings))
                .toArray(String[]::new))) {
      List<Integer> codes = new ArrayList<>();
      for (String hops : List.of("1.1.1.1, 203.0.113.1", "2.2.2.2, 203.0.113.1", "203.0.113.2")) {
        codes.add(
            HTTP.send(
                    request(behind, "/x", "X-Forwarded-For", hops).build(),
                    BodyHandlers.discarding())
                .statusCode());
      }
      assertThat(codes).as("404: let through, to nobody").containsExactly(404, 429, 404);
    }
    assertThatThrownBy(() -> launch(Bare.class, settings).close())
        .rootCause()
        .isInstanceOf(SettingException.class)
        .hasMessageStartingWith("sluice.http.trusted-proxies: must name the proxies")
        .hasMessageContaining("server.forward-headers-strategy=framework");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/one/x/", "/one/%78", "/one/x?y=1", "/one"})
  void aPathIsMatchedAsSpringMvcMatchesIt(String path) throws Exception {
    get("/one/x", "X-Api-Key", "paths");
    assertThat(status(path, "X-Api-Key", "paths")).isEqualTo(429);
  }

  @Test
  void otherPathsAreLeftAlone() throws Exception {
    HttpResponse<String> free = get("/free");
    assertThat(free.statusCode()).isEqualTo(200);
    assertThat(free.headers().map()).doesNotContainKeys("RateLimit", "RateLimit-Policy");
  }

  @Test
  void rulesApplyInTurnUntilOneRefuses() throws Exception {
    HttpResponse<String> passed = get("/heavy");
    assertThat(passed.headers().firstValue("RateLimit-Policy"))
        .hasValue("\"wide\";q=1000;w=86400, \"heavy\";q=5;w=86400");
    assertThat(passed.headers().firstValue("RateLimit"))
        .hasValueSatisfying(
            states -> assertThat(states).matches("\"wide\";r=\\d+;t=\\d+, \"heavy\";r=2;t=\\d+"));

    HttpResponse<String> refused = get("/heavy");
    assertThat(refused.statusCode()).as("3 of 5, twice").isEqualTo(429);
    assertThat(refused.body()).contains("[\"heavy\"]");
  }

  @Test
  void aBeanSaysTheKeyAndALimitChangesAtRunTime() throws Exception {
    assertThat(status("/live", "X-Tenant", "t1")).isEqualTo(200);
    assertThat(status("/live", "X-Tenant", "t1")).isEqualTo(429);
    assertThat(status("/live", "X-Tenant", "t2")).isEqualTo(200);
    assertThat(status("/live")).as("exempt").isEqualTo(200);
    assertThat(status("/live")).isEqualTo(200);

    app.getBean(RateLimiters.class)
        .update(
            "live",
            RateLimiterOptions.of(Limit.fixedWindow(2, Duration.ofDays(1)))
                .version(1, CarryOver.KEEP));

    assertThat(status("/live", "X-Tenant", "t1")).isEqualTo(200);
    assertThat(status("/live", "X-Tenant", "t1")).isEqualTo(429);
  }

  @ParameterizedTest
  @CsvSource({"/method/k, method", "/later/k, later"})
  void aRefusedMethodIsAnsweredTheSameWay(String path, String limiter) throws Exception {
    assertThat(status(path)).isEqualTo(200);

    HttpResponse<String> refused = get(path);

    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValueAsLong("Retry-After").orElseThrow())
        .isBetween(1L, 86_400L);
    assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(refused.body()).contains("[\"" + limiter + "\"]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "path=api      | sluice.http.rules[0].path: must start with '/': 'api'",
        "path=/{       | sluice.http.rules[0].path: ",
        "limiter=nope  | sluice.http.rules[0].limiter: no limiter 'nope' under sluice.limiters",
        "key=nobody    | sluice.http.rules[0].key: must be principal, ip, header:NAME",
        "key=header:   | sluice.http.rules[0].key: must be principal, ip, header:NAME",
        "key=bare      | sluice.http.rules[0].key: must be principal, ip, header:NAME",
        "cost=0        | sluice.http.rules[0].cost: must be 1 to 5, what 'heavy' admits in one call:"
            + " 0",
        "cost=6        | sluice.http.rules[0].cost: must be 1 to 5, what 'heavy' admits in one call:"
            + " 6"
      })
  void aWrongRuleEndsTheStart(String setting, String message) {
    String[] changed = setting.split("=", 2);
    Map<String, String> rule = new HashMap<>(Map.of("path", "/x", "limiter", "heavy"));
    rule.put(changed[0], changed[1]);
    Stream<String> settings =
        rule.entrySet().stream()
            .map(entry -> "sluice.http.rules[0]." + entry.getKey() + "=" + entry.getValue());
    assertThatThrownBy(
            () ->
                launch(
                        Bare.class,
                        Stream.concat(
                                Stream.of("sluice.limiters.heavy.limits=fixed-window 5/1d"),
                                settings)
                            .toArray(String[]::new))
                    .close())
        .rootCause()
        .hasMessageStartingWith(message);
  }

  @Test
  void aRuleWithoutALimiterIsNotOverlooked() {
    assertThatThrownBy(() -> launch(Bare.class, "sluice.http.rules[0].path=/x").close())
        .rootCause()
        .hasMessageStartingWith("sluice.http.rules[0].limiter: no limiter ''");
  }

  @Test
  void withoutRulesThereIsNoFilter() {
    try (ConfigurableApplicationContext bare = launch(Bare.class)) {
      assertThat(bare.containsBean("sluiceRateLimitFilter")).isFalse();
      assertThat(bare.containsBean("rateLimitedAdvice")).isTrue();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({Api.class, Guarded.class, CatchAll.class})
  static class App {
    @Bean
    RateLimitKeyResolver perTenant() {
      return request -> request.getHeader("X-Tenant");
    }

    @Bean
    LimitPlans plans() {
      return key -> key.startsWith("header/gold/") ? "gold" : null;
    }

    /** Stands for whatever finds out who the user is. */
    @Bean
    FilterRegistrationBean<Filter> users() {
      FilterRegistrationBean<Filter> users =
          new FilterRegistrationBean<>(
              (request, response, chain) ->
                  chain.doFilter(new Named((HttpServletRequest) request), response));
      users.setOrder(-100);
      return users;
    }
  }

  @Test
  void whileTheStoreIsAwayTheOutagePolicyDecides() throws Exception {
    try (ConfigurableApplicationContext away =
        launch(
            Away.class,
            "sluice.limiters.open.limits=fixed-window 5/1d",
            "sluice.limiters.open.outage=open",
            "sluice.limiters.closed.limits=fixed-window 5/1d",
            "sluice.http.rate-limit-headers=true",
            "sluice.http.rules[0].path=/open",
            "sluice.http.rules[0].limiter=open",
            "sluice.http.rules[1].path=/closed",
            "sluice.http.rules[1].limiter=closed")) {
      HttpResponse<String> open =
          HTTP.send(request(away, "/open").build(), BodyHandlers.ofString());
      assertThat(open.statusCode()).as("let through, to nobody").isEqualTo(404);
      assertThat(open.headers().firstValue("RateLimit-Policy")).hasValue("\"open\";q=5;w=86400");
      assertThat(open.headers().firstValue("RateLimit")).as("nobody knows").isEmpty();

      HttpResponse<String> closed =
          HTTP.send(request(away, "/closed").build(), BodyHandlers.ofString());
      assertThat(closed.statusCode()).isEqualTo(503);
      assertThat(closed.headers().firstValueAsLong("Retry-After").orElseThrow()).isPositive();
      assertThat(closed.body()).contains("about:blank").doesNotContain("violated");
    }
  }

  @Configuration(value = "away", proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Away {
    @Bean
    Sluice sluice() {
      return Sluice.builder().backend(HeldStore.until(new CompletableFuture<>())).build();
    }
  }

  @Configuration(value = "bare", proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Bare {}

  private static final class Named extends HttpServletRequestWrapper {
    Named(HttpServletRequest request) {
      super(request);
    }

    @Override
    public Principal getUserPrincipal() {
      String name = getHeader("X-User");
      return name == null ? null : () -> name;
    }
  }

  @RestController
  static class Api {
    final AtomicInteger crowd = new AtomicInteger();
    private final Guarded guarded;

    Api(Guarded guarded) {
      this.guarded = guarded;
    }

    @GetMapping("/crowd/{id}")
    String crowd() {
      return String.valueOf(crowd.incrementAndGet());
    }

    @GetMapping({"/two", "/one", "/one/{id}", "/ip", "/live", "/heavy", "/free"})
    String fine() {
      return "fine";
    }

    @GetMapping("/method/{key}")
    String method(@PathVariable String key) {
      return guarded.now(key);
    }

    @GetMapping("/later/{key}")
    CompletionStage<String> later(@PathVariable String key) {
      return guarded.later(key);
    }
  }

  @Service
  static class Guarded {
    private final ConcurrentHashMap<String, Integer> calls = new ConcurrentHashMap<>();

    @RateLimited(limiter = "method", key = "#key")
    public String now(String key) {
      return key + calls.merge(key, 1, Integer::sum);
    }

    @RateLimited(limiter = "later", key = "#key")
    public CompletionStage<String> later(String key) {
      return CompletableFuture.supplyAsync(() -> key);
    }
  }

  /** As many applications have one; a refusal is not for it. */
  @RestControllerAdvice
  static class CatchAll {
    @ExceptionHandler(Exception.class)
    String broken(Exception e) {
      return "broken: " + e;
    }
  }
}
