package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.bloom.Funnel;
import dev.sluice.guard.Guard;
import dev.sluice.guard.MemoryGuard;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockObserver;
import dev.sluice.lock.LockOptions;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.micrometer.BloomFilterMetrics;
import dev.sluice.micrometer.InventoryMetrics;
import dev.sluice.servers.SourceTree;
import dev.sluice.spring.cache.GuardedCacheAutoConfiguration;
import dev.sluice.spring.fencing.FencingAutoConfiguration;
import dev.sluice.spring.limit.RateLimitAutoConfiguration;
import dev.sluice.spring.lock.LockAutoConfiguration;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Fault;
import dev.sluice.testkit.FlakyBackend.Verb;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every metric that the dashboard asks for is one that an application publishes. */
class DashboardTest {
  private static final Path DASHBOARD = SourceTree.path("docs/grafana/sluice.json");
  private static final Path ALERTS = SourceTree.path("docs/grafana/alerts.yaml");
  private static final Pattern RULE = Pattern.compile("(?m)^ +expr: (.*)$");
  private static final Pattern METRIC = Pattern.compile("[a-z]+(?:_[a-z]+)+(?=\\{|,)");
  private static final Pattern SHOWN =
      Pattern.compile("(?m)^(sluice_(?:limiter|inventory|bloom)_[a-z_]+)[ {]");

  /** Observations, whose meters exist from the first lease on. */
  private static final String LOCKS = "sluice.lock.";

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Application {
    @Bean(destroyMethod = "close")
    FlakyBackend line() {
      return new FlakyBackend(new MemoryBackend());
    }

    @Bean(destroyMethod = "close")
    Sluice sluice(FlakyBackend line, LockObserver observer) {
      return Sluice.builder().backend(line).observer(observer).build();
    }

    @Bean
    Guard guard() {
      return MemoryGuard.create();
    }

    @Bean
    PrometheusMeterRegistry meters() {
      return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    }
  }

  @Test
  void asksOnlyForWhatIsPublished() throws Exception {
    Set<String> asked = metricsOf(JsonMapper.shared().readTree(Files.readString(DASHBOARD)));
    assertThat(asked).hasSizeGreaterThan(15);
    Set<String> alerted = metricsOf(Files.readString(ALERTS));
    assertThat(alerted).hasSizeGreaterThan(5);
    asked.addAll(alerted);
    application()
        .run(
            context -> {
              use(context.getBean(Sluice.class), context.getBean(FlakyBackend.class));
              context.getBean(CacheManager.class).getCache("words").get("a", () -> "b");
              PrometheusMeterRegistry meters = context.getBean(PrometheusMeterRegistry.class);
              bind(context.getBean(Sluice.class), meters);
              await() // the loss is published a moment after the end of the lease
                  .untilAsserted(() -> assertPublished(asked, meters.scrape()));
            });
  }

  @Test
  void everyMeterIsDocumentedAndThoseOfLimitsStockAndFiltersHaveAPanel() throws Exception {
    Set<String> asked = metricsOf(JsonMapper.shared().readTree(Files.readString(DASHBOARD)));
    application()
        .run(
            context -> {
              context.getBean(CacheManager.class).getCache("words").get("a", () -> "b");
              PrometheusMeterRegistry meters = context.getBean(PrometheusMeterRegistry.class);
              bind(context.getBean(Sluice.class), meters);
              Set<String> shown = new TreeSet<>();
              SHOWN.matcher(meters.scrape()).results().forEach(found -> shown.add(found.group(1)));
              assertThat(shown).hasSizeGreaterThan(10).isSubsetOf(asked);
              Set<String> named = new TreeSet<>();
              meters.getMeters().forEach(meter -> named.add(meter.getId().getName()));
              named.removeIf(name -> !name.startsWith("sluice.") || name.startsWith(LOCKS));
              assertThat(named).hasSizeGreaterThan(20);
              for (String page : List.of("docs/monitoring.md", "docs/zh/monitoring.md")) {
                String text = Files.readString(SourceTree.path(page));
                assertThat(named).as(page).allMatch(name -> text.contains('`' + name));
              }
            });
  }

  private static ApplicationContextRunner application() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                MetricsAutoConfiguration.class,
                ObservationAutoConfiguration.class,
                SluiceAutoConfiguration.class,
                LockAutoConfiguration.class,
                RateLimitAutoConfiguration.class,
                FencingAutoConfiguration.class,
                GuardedCacheAutoConfiguration.class))
        .withUserConfiguration(Application.class)
        .withPropertyValues(
            "sluice.cache.caches.words.type=java.lang.String",
            "sluice.limiters.api.limits=fixed-window 1/1d");
  }

  private static void assertPublished(Set<String> metrics, String published) {
    assertThat(metrics)
        .allSatisfy(metric -> assertThat(published).containsPattern("(?m)^" + metric + "[ {]"));
  }

  private static void bind(Sluice sluice, PrometheusMeterRegistry meters) {
    InventoryMetrics.of(sluice.inventory("shoes")).bindTo(meters);
    BloomFilterMetrics.of(sluice.bloomFilter("seen", Funnel.utf8())).bindTo(meters);
  }

  /** Grants, refusals, a renewal, one that is overdue, a loss, a wait and a hold that go on. */
  private static void use(Sluice sluice, FlakyBackend line) throws Exception {
    LockOptions renewing = LockOptions.renewing(Duration.ofSeconds(9));
    Lease lease = sluice.lock("nightly", renewing).acquire(PATIENCE);
    assertThat(sluice.lock("nightly").tryAcquire()).isEmpty();
    await().atMost(PATIENCE).until(() -> line.calls(Verb.RENEW) > 0);
    line.set(Verb.RENEW, Fault.LOSES_REQUEST);
    await().atMost(PATIENCE).until(() -> lease.remaining().isZero());
    line.heal();
    sluice.lock("nightly").acquire(PATIENCE);
    sluice.lock("nightly").async().acquire(PATIENCE);
  }

  private static Set<String> metricsOf(JsonNode dashboard) throws IOException {
    Set<String> metrics = new TreeSet<>();
    for (String field : new String[] {"expr", "query"}) {
      for (JsonNode text : dashboard.findValues(field)) {
        add(text.isString() ? text.asString() : "", metrics);
      }
    }
    return metrics;
  }

  private static Set<String> metricsOf(String rules) {
    Set<String> metrics = new TreeSet<>();
    RULE.matcher(rules).results().forEach(rule -> add(rule.group(1), metrics));
    return metrics;
  }

  private static void add(String expression, Set<String> metrics) {
    Matcher metric = METRIC.matcher(expression);
    while (metric.find()) {
      metrics.add(metric.group());
    }
  }

  @Test
  void findsAMetricThatNobodyPublishes() throws Exception {
    JsonNode planted =
        JsonMapper.shared()
            .readTree("{\"targets\":[{\"expr\":\"sum(rate(no_such_total{a=\\\"b\\\"}[1m]))\"}]}");
    assertThat(metricsOf(planted)).containsExactly("no_such_total");
    assertThat(metricsOf("  - alert: A\n    expr: increase(no_such_total{a=\"b\"}[5m]) > 0\n"))
        .containsExactly("no_such_total");
  }
}
