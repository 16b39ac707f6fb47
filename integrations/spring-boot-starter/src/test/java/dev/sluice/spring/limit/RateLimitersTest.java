package dev.sluice.spring.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.LimitPlans;
import dev.sluice.limit.Outage;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.spring.SluiceAutoConfiguration;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

class RateLimitersTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SluiceAutoConfiguration.class, RateLimitAutoConfiguration.class));

  @Test
  void readsEverySetting() {
    runner
        .withPropertyValues(
            "sluice.limiters.orders.limits[0]=token-bucket 10/s burst 20 name user",
            "sluice.limiters.orders.limits[1]=sliding-window 1000/1h shared",
            "sluice.limiters.orders.version=3",
            "sluice.limiters.orders.carry-over=proportional",
            "sluice.limiters.orders.outage=local-share:4",
            "sluice.limiters.orders.deadline=20ms",
            "sluice.limiters.orders.leasing=true",
            "sluice.limiters.orders.overrides[user/big]=token-bucket 100/s name user,"
                + "sliding-window 1000/1h shared",
            "sluice.limiters.plain.limits=fixed-window 1/s")
        .run(
            context -> {
              RateLimiters limiters = context.getBean(RateLimiters.class);
              assertThat(limiters.names()).containsExactly("orders", "plain");
              assertThat(limiters.get("orders").options())
                  .isEqualTo(
                      RateLimiterOptions.of(
                              Limit.tokenBucket(10, Duration.ofSeconds(1)).burst(20).name("user"),
                              Limit.slidingWindow(1000, Duration.ofHours(1)).shared())
                          .version(3, CarryOver.PROPORTIONAL)
                          .outage(Outage.localShare(4))
                          .deadline(Duration.ofMillis(20))
                          .leasing()
                          .override(
                              "user/big",
                              Limit.tokenBucket(100, Duration.ofSeconds(1)).name("user"),
                              Limit.slidingWindow(1000, Duration.ofHours(1)).shared()));
              assertThat(limiters.get("plain").options())
                  .isEqualTo(RateLimiterOptions.of(Limit.fixedWindow(1, Duration.ofSeconds(1))));
              assertThat(limiters.get("plain").tryAcquire("k").allowed()).isTrue();
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "limits=fixed-window 1                    | sluice.limiters.api.limits[0]: | not a rate",
        "limits=fixed-window 1/s,magic 2/s        | sluice.limiters.api.limits[1]: | magic",
        "version=1                                | sluice.limiters.api:           | limits must be"
            + " 1 to 8",
        "outage=perhaps                           | sluice.limiters.api.outage:    | open, closed"
            + " or local-share:N",
        "outage=local-share:0                     | sluice.limiters.api.outage:    | processes must"
            + " be 1",
        "overrides.k=fixed-window x               | sluice.limiters.api.overrides.k[0]: | not a rate",
        "plans.pro=fixed-window 5/s               | sluice.limiters.api.plans:     | needs a bean of"
            + " type LimitPlans"
      })
  void saysAtTheStartWhichSettingIsWrong(String setting, String place, String problem) {
    String[] settings =
        setting.startsWith("limits") || setting.startsWith("version")
            ? new String[] {"sluice.limiters.api." + setting}
            : new String[] {
              "sluice.limiters.api." + setting, "sluice.limiters.api.limits=fixed-window 1/s"
            };
    runner
        .withPropertyValues(settings)
        .run(
            context ->
                assertThat(
                        SpringFactoriesLoader.forDefaultResourceLocation()
                            .load(FailureAnalyzer.class, FailureHandler.handleMessage((m, e) -> {}))
                            .stream()
                            .map(analyzer -> analyzer.analyze(context.getStartupFailure()))
                            .filter(Objects::nonNull)
                            .map(FailureAnalysis::getDescription))
                    .as("what an operator reads")
                    .anySatisfy(text -> assertThat(text).startsWith(place).contains(problem)));
  }

  @Test
  void aLimitChangesAtRunTime() {
    runner
        .withPropertyValues("sluice.limiters.api.limits=fixed-window 2/1d")
        .run(
            context -> {
              RateLimiters limiters = context.getBean(RateLimiters.class);
              RateLimiter api = limiters.get("api");
              api.tryAcquire("k", 2);
              assertThat(api.tryAcquire("k").allowed()).isFalse();

              limiters.update(
                  "api",
                  RateLimiterOptions.of(Limit.fixedWindow(5, Duration.ofDays(1)))
                      .version(1, CarryOver.KEEP));

              assertThat(api.tryAcquire("k").remaining()).isEqualTo(2);
              assertThatThrownBy(
                      () ->
                          limiters.update(
                              "api",
                              RateLimiterOptions.of(Limit.fixedWindow(9, Duration.ofDays(1)))))
                  .hasMessage("version must not decrease: 0 after 1");
            });
  }

  @Test
  void settingsAreReadAgainWhenAsked() {
    Map<String, Object> values = new HashMap<>();
    values.put("sluice.limiters.api.limits", "fixed-window 2/1d");
    values.put("sluice.limiters.api.version", "1");
    runner
        .withInitializer(
            context ->
                ((ConfigurableEnvironment) context.getEnvironment())
                    .getPropertySources()
                    .addFirst(new MapPropertySource("changing", values)))
        .run(
            context -> {
              RateLimiters limiters = context.getBean(RateLimiters.class);
              RateLimiter api = limiters.get("api");
              RateLimiterOptions before = api.options();
              limiters.reload();
              assertThat(api.options()).isSameAs(before);

              values.put("sluice.limiters.api.limits", "fixed-window 3/1d");
              values.put("sluice.limiters.api.version", "2");
              values.put("sluice.limiters.more.limits", "fixed-window 0/1d");
              assertThatThrownBy(limiters::reload)
                  .hasMessageStartingWith("sluice.limiters.more.limits[0]: ");
              assertThat(api.options()).as("all or nothing").isSameAs(before);

              values.put("sluice.limiters.more.limits", "fixed-window 1/1d");
              limiters.reload();
              assertThat(limiters.get("api")).isSameAs(api);
              assertThat(api.tryAcquire("k").limit()).isEqualTo(3);
              assertThat(limiters.get("more").tryAcquire("k").allowed()).isTrue();

              values.put("sluice.limiters.api.version", "1");
              assertThatThrownBy(limiters::reload)
                  .hasMessage("sluice.limiters.api.version: must not decrease: 1 after 2");
            });
  }

  @Test
  void beanReturnsThePlanOfAKey() {
    runner
        .withBean(LimitPlans.class, () -> key -> key.startsWith("acme/") ? "pro" : null)
        .withPropertyValues(
            "sluice.limiters.api.limits=fixed-window 1/1d",
            "sluice.limiters.api.plans.pro=fixed-window 5/1d",
            "sluice.limiters.plain.limits=fixed-window 2/1d")
        .run(
            context -> {
              RateLimiters limiters = context.getBean(RateLimiters.class);
              RateLimiter api = limiters.get("api");
              assertThat(api.tryAcquire("acme/1").limit()).isEqualTo(5);
              assertThat(api.tryAcquire("k").limit()).isOne();
              assertThat(limiters.get("plain").tryAcquire("acme/1").limit()).isEqualTo(2);
            });
    runner
        .withBean(LimitPlans.class, () -> key -> null)
        .withPropertyValues(
            "sluice.limiters.api.limits=fixed-window 1/1d",
            "sluice.limiters.api.plans.pro=fixed-window x")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageStartingWith("sluice.limiters.api.plans.pro[0]: "));
  }

  @Test
  void changeOfTheEnvironmentIsTakenOverUnlessItIsWrong() {
    runner
        .withPropertyValues("sluice.limiters.api.limits=fixed-window 1/1d")
        .run(
            context -> {
              RateLimiter api = context.getBean(RateLimiters.class).get("api");
              Map<String, Object> values = new HashMap<>();
              ConfigurableEnvironment environment = context.getEnvironment();
              environment.getPropertySources().addFirst(new MapPropertySource("late", values));

              values.put("sluice.limiters.api.limits", "fixed-window 3/1d");
              context.publishEvent(new EnvironmentChangeEvent(values.keySet()));
              assertThat(api.tryAcquire("k").limit()).isEqualTo(3);

              values.put("sluice.limiters.api.limits", "fixed-window 0/1d");
              context.publishEvent(new EnvironmentChangeEvent(values.keySet()));
              assertThat(api.tryAcquire("k").limit()).as("a wrong one").isEqualTo(3);
            });
  }

  @Test
  void bookIsFollowedIfTheSettingsSaySo() {
    RateLimiterOptions two = RateLimiterOptions.of(Limit.fixedWindow(2, Duration.ofDays(1)));
    try (Sluice operator = Sluice.connect("memory:limiters-book")) {
      operator.policyBook().set("api", two, "ops", "");
      runner
          .withPropertyValues(
              "sluice.url=memory:limiters-book",
              "sluice.policy-book=true",
              "sluice.limiters.api.limits=fixed-window 1/1d")
          .run(
              context -> {
                RateLimiters limiters = context.getBean(RateLimiters.class);
                RateLimiter api = limiters.get("api");
                await().until(() -> api.options().version() == 1);
                assertThat(api.options().limits()).isEqualTo(two.limits());

                limiters.reload();
                assertThat(api.options().limits()).as("the book is newer").isEqualTo(two.limits());
              });
    }
  }

  @Test
  void limitersMayBeAddedThatNoSettingNames() {
    runner.run(
        context -> {
          RateLimiters limiters = context.getBean(RateLimiters.class);
          assertThatThrownBy(() -> limiters.get("api"))
              .hasMessage("no limiter 'api' under sluice.limiters; configured limiters: none");
          RateLimiterOptions one =
              RateLimiterOptions.of(List.of(Limit.fixedWindow(1, Duration.ofDays(1))));

          RateLimiter api = limiters.add("api", one);

          assertThat(limiters.get("api")).isSameAs(api);
          assertThatThrownBy(() -> limiters.add("api", one))
              .hasMessage("limiter 'api' exists: update it instead");
        });
  }
}
