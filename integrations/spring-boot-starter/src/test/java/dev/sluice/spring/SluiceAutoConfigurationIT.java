package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.servers.RedisServer;
import dev.sluice.spring.internal.SluiceFailureAnalyzer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;

class SluiceAutoConfigurationIT {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class));

  @Test
  void worksWithNothingConfiguredInsideThisJvm() {
    runner.run(
        context -> {
          Sluice sluice = context.getBean(Sluice.class);
          try (Lease lease = sluice.lock("seat/42").acquire(Duration.ofSeconds(2))) {
            assertThat(lease.token()).isPositive();
            assertThat(sluice.lock("seat/42").tryAcquire()).isEmpty();
          }
        });
  }

  @Test
  void closesTheClientWithTheContext() {
    AtomicReference<Sluice> left = new AtomicReference<>();
    runner.run(context -> left.set(context.getBean(Sluice.class)));

    assertThatThrownBy(() -> left.get().lock("seat/42").tryAcquire())
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void stepsBackForABeanOfTheApplication() {
    runner
        .withUserConfiguration(OwnBean.class)
        .withPropertyValues("sluice.url=redis://127.0.0.1:1")
        .run(context -> assertThat(context).hasNotFailed().getBeans(Sluice.class).hasSize(1));
  }

  @Test
  void providesNothingWhenDisabled() {
    runner
        .withPropertyValues("sluice.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(Sluice.class));
  }

  @Test
  void passesTheLongestTtlOn() {
    runner
        .withPropertyValues("sluice.lock.max-ttl=5s")
        .run(
            context -> {
              Sluice sluice = context.getBean(Sluice.class);
              assertThatThrownBy(
                      () -> sluice.lock("seat", LockOptions.fixed(Duration.ofSeconds(6))))
                  .isInstanceOf(IllegalArgumentException.class);
              assertThat(sluice.lock("seat", LockOptions.fixed(Duration.ofSeconds(5)))).isNotNull();
            });
  }

  @Test
  void explainsAUrlThatNoModuleOpens() {
    FailureAnalysis analysis = failureFor("sluice.url=carrier-pigeon://user:secret@roof");

    assertThat(analysis.getDescription())
        .contains("No Sluice client for 'carrier-pigeon://***@roof'")
        .contains("no backend for a URI that starts with 'carrier-pigeon:'")
        .doesNotContain("secret");
    assertThat(analysis.getAction()).contains("redis://localhost:6379");
  }

  @ParameterizedTest
  @ValueSource(strings = {"se/cret", "se?cret", "se#cret", "se@cret"})
  void leavesAPasswordOutWhateverItHolds(String password) {
    FailureAnalysis analysis = failureFor("sluice.url=carrier-pigeon://user:" + password + "@roof");

    assertThat(analysis.getDescription())
        .contains("No Sluice client for 'carrier-pigeon://***@roof'")
        .doesNotContain("cret");
  }

  @Test
  void connectsToARealRedisAndSharesItsLocks() {
    try (RedisServer redis = RedisServer.start();
        Sluice other =
            Sluice.builder().uri(redis.uri()).requestTimeout(Duration.ofSeconds(30)).build()) {
      runner
          .withPropertyValues("sluice.url=" + redis.uri(), "sluice.request-timeout=30s")
          .run(
              context -> {
                Sluice sluice = context.getBean(Sluice.class);
                try (Lease lease = sluice.lock("seat/42").acquire(Duration.ofSeconds(10))) {
                  assertThat(other.inspect().lock("seat/42").toString())
                      .contains(String.valueOf(lease.token()));
                  assertThat(other.lock("seat/42").tryAcquire()).isEmpty();
                }
              });
    }
  }

  @Test
  void explainsThatNobodyAnswers() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }

    FailureAnalysis analysis = failureFor("sluice.url=redis://:secret@127.0.0.1:" + port);

    assertThat(analysis.getDescription())
        .startsWith("No store answers at redis://***@127.0.0.1:" + port)
        .doesNotContain("secret");
    assertThat(analysis.getAction()).contains("redis-server --port " + port, "sluice.url=memory:");
  }

  @Test
  void explainsASettingOutOfRange() {
    assertThat(failureFor("sluice.request-timeout=0s").getDescription())
        .contains("requestTimeout must be 1ms to 1d: PT0S");
    assertThat(failureFor("sluice.lock.clock-drift=0.7").getDescription())
        .contains("clockDrift must be 0 to below 0.5: 0.7");
  }

  @Test
  void neverPrintsTheUrlWithTheSettings() {
    runner
        .withPropertyValues("sluice.url=memory:secret")
        .run(
            context ->
                assertThat(context.getBean(SluiceProperties.class).toString())
                    .doesNotContain("secret"));
  }

  @Test
  void anotherSpringBootEndsTheStartAndBothVersionsAreNamed() {
    for (String version : new String[] {"3.5.7", "2.7.18"}) {
      FailureAnalysis analysis =
          failure(
              runner
                  .withBean("found", BootVersion.class, () -> new BootVersion(version))
                  .withPropertyValues("spring.data.redis.host=127.0.0.1", "sluice.store=memory"));
      assertThat(analysis.getDescription())
          .contains("needs Spring Boot 4", "this is Spring Boot " + version);
      assertThat(analysis.getAction()).contains("Move to Spring Boot 4", "a bean of type Sluice");
    }
    runner
        .withBean("found", BootVersion.class, () -> new BootVersion("10.0.0"))
        .withBean("unknown", BootVersion.class, () -> new BootVersion(null))
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Sluice.class));
    runner.run(
        context ->
            assertThat(context.getBean(BootVersion.class).found())
                .isEqualTo(SpringBootVersion.getVersion()));
  }

  /** What an operator reads: the analysis by whichever analyzer is registered for the failure. */
  private FailureAnalysis failureFor(String... properties) {
    return failure(runner.withPropertyValues(properties));
  }

  private static FailureAnalysis failure(ApplicationContextRunner runner) {
    AtomicReference<FailureAnalysis> found = new AtomicReference<>();
    runner.run(
        context -> {
          assertThat(context).hasFailed();
          SpringFactoriesLoader.forDefaultResourceLocation()
              .load(
                  org.springframework.boot.diagnostics.FailureAnalyzer.class,
                  SpringFactoriesLoader.FailureHandler.handleMessage((message, cause) -> {}))
              .stream()
              .filter(SluiceFailureAnalyzer.class::isInstance)
              .map(analyzer -> analyzer.analyze(context.getStartupFailure()))
              .forEach(found::set);
        });
    assertThat(found.get()).as("an analysis").isNotNull();
    return found.get();
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnBean {
    @Bean
    Sluice mine() {
      return Sluice.connect("memory:");
    }
  }
}
