package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.limit.LimitPlans;
import dev.sluice.servers.SourceTree;
import dev.sluice.spring.cache.GuardedCacheAutoConfiguration;
import dev.sluice.spring.cache.SluiceCacheManager;
import dev.sluice.spring.http.RateLimitHttpAutoConfiguration;
import dev.sluice.spring.limit.RateLimitAutoConfiguration;
import dev.sluice.spring.limit.RateLimiters;
import dev.sluice.spring.lock.LockAutoConfiguration;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** The settings of docs/http.md, docs/cache.md and docs/monitoring.md start an application. */
public class DocumentedSettingsTest {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```yaml\\R(.*?)^```");

  public static List<PropertySource<?>> blocks(String document) throws IOException {
    List<PropertySource<?>> blocks = new ArrayList<>();
    Matcher block = BLOCK.matcher(Files.readString(SourceTree.path("docs/" + document)));
    while (block.find()) {
      blocks.addAll(
          new YamlPropertySourceLoader()
              .load(
                  "block " + blocks.size(),
                  new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8))));
    }
    return blocks;
  }

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Caching {}

  @ParameterizedTest
  @ValueSource(strings = {"cache.md", "zh/cache.md"})
  void settingsOfCachesWork(String page) throws Exception {
    List<PropertySource<?>> blocks = blocks(page);
    assertThat(blocks).hasSize(1);
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                SluiceAutoConfiguration.class, GuardedCacheAutoConfiguration.class))
        .withUserConfiguration(Caching.class)
        .withInitializer(
            context -> blocks.forEach(context.getEnvironment().getPropertySources()::addLast))
        .withPropertyValues("sluice.url=memory:")
        .run(
            context -> {
              SluiceCacheManager caches = context.getBean(SluiceCacheManager.class);
              assertThat(caches.getCacheNames()).containsExactly("accounts", "prices", "products");
              Cache prices = Objects.requireNonNull(caches.getCache("prices"));
              prices.put("tea", List.of(1, 2));
              assertThat(prices.get("tea", List.class)).isEqualTo(List.of(1, 2));
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"monitoring.md", "zh/monitoring.md"})
  void settingsOfObservationsWork(String page) throws Exception {
    List<PropertySource<?>> blocks = blocks(page);
    assertThat(blocks).hasSize(1);
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(SluiceAutoConfiguration.class, LockAutoConfiguration.class))
        .withBean(TestObservationRegistry.class, TestObservationRegistry::create)
        .withInitializer(
            context -> blocks.forEach(context.getEnvironment().getPropertySources()::addLast))
        .run(
            context -> {
              context.getBean(Sluice.class).lock("orders/7").tryAcquire().orElseThrow().close();
              TestObservationRegistryAssert.assertThat(
                      context.getBean(TestObservationRegistry.class))
                  .hasObservationWithNameEqualTo("sluice.lock.held")
                  .that()
                  .hasLowCardinalityKeyValue("name", "orders/*")
                  .hasHighCardinalityKeyValue("sluice.lock.name", "orders/7");
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"http.md", "zh/http.md"})
  void settingsInTheDocumentWork(String page) throws Exception {
    List<PropertySource<?>> blocks = blocks(page);
    assertThat(blocks).hasSize(2);
    new WebApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                SluiceAutoConfiguration.class,
                RateLimitAutoConfiguration.class,
                RateLimitHttpAutoConfiguration.class))
        .withBean(LimitPlans.class, () -> key -> key.equals("user/ann") ? "pro" : null)
        .withInitializer(
            context -> blocks.forEach(context.getEnvironment().getPropertySources()::addLast))
        .withPropertyValues("sluice.url=memory:")
        .run(
            context -> {
              assertThat(context).hasNotFailed().hasBean("sluiceRateLimitFilter");
              RateLimiters limiters = context.getBean(RateLimiters.class);
              assertThat(limiters.names()).containsExactly("api", "logins", "reports");
              assertThat(limiters.get("reports").options().overrides())
                  .containsOnlyKeys("user/batch");
              assertThat(limiters.get("reports").tryAcquire("user/ann").limit()).isEqualTo(1000);
              SluiceProperties.Http http = context.getBean(SluiceProperties.class).http();
              assertThat(http.rules()).hasSize(3);
              assertThat(http.trustedProxies()).hasSize(2);
              assertThat(http.rateLimitHeaders()).isTrue();
            });
  }
}
