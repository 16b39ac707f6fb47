package dev.sluice.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.internal.SettingException;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Objects;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The conditions of a cache manager, and the effect of its settings. */
class GuardedCacheSettingsTest {
  private final ApplicationContextRunner bare =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SluiceAutoConfiguration.class, GuardedCacheAutoConfiguration.class));
  private final ApplicationContextRunner unasked = bare.withUserConfiguration(Caching.class);
  private final ApplicationContextRunner runner =
      unasked.withPropertyValues("sluice.cache.enabled=true");

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Caching {}

  @Configuration(proxyBeanMethods = false)
  static class Own {
    @Bean
    CacheManager own() {
      return new ConcurrentMapCacheManager();
    }
  }

  /** Stands for what Spring Boot makes where there is no cache manager. */
  @AutoConfiguration(after = GuardedCacheAutoConfiguration.class)
  static class SpringBootsOwn {
    @Bean
    @ConditionalOnMissingBean(CacheManager.class)
    CacheManager cacheManager() {
      return new ConcurrentMapCacheManager();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OnADatabase {
    @Bean(destroyMethod = "close")
    Backend database() {
      JdbcDataSource source = new JdbcDataSource();
      source.setURL("jdbc:h2:mem:caches;DB_CLOSE_DELAY=-1");
      return JdbcBackend.builder().dataSource(source).createTables(true).build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Beans {
    @Bean
    Codec<String> words() {
      return Codec.utf8();
    }

    @Bean
    BloomFilter<String> ids(Sluice sluice) {
      BloomFilter<String> ids =
          sluice.bloomFilter("ids", Funnel.utf8(), BloomSpec.of(1_000, 0.001));
      ids.create();
      ids.add("there");
      return ids;
    }
  }

  private static Cache cache(CacheManager manager, String name) {
    return Objects.requireNonNull(manager.getCache(name), name);
  }

  @Test
  void isThereWhereCachingIsEnabledAndNobodyElseIs() {
    runner.run(context -> assertThat(context).hasSingleBean(SluiceCacheManager.class));
    runner
        .withClassLoader(new FilteredClassLoader(MeterRegistry.class))
        .run(context -> assertThat(context).hasSingleBean(SluiceCacheManager.class));
    bare.run(context -> assertThat(context).doesNotHaveBean(CacheManager.class));
    runner
        .withUserConfiguration(Own.class)
        .run(context -> assertThat(context).doesNotHaveBean(SluiceCacheManager.class));
    for (String off : List.of("sluice.cache.enabled=false", "sluice.enabled=false")) {
      runner
          .withPropertyValues(off)
          .run(
              context ->
                  assertThat(context.getStartupFailure())
                      .as("what Spring says where nobody caches")
                      .hasMessageContaining("register a CacheManager bean"));
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {Caching.class, OnADatabase.class})
  void cachesThatOnlySpringWasAskedForAreLeftToSpringBoot(Class<?> app) {
    unasked
        .withUserConfiguration(app)
        .withConfiguration(AutoConfigurations.of(SpringBootsOwn.class))
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(ConcurrentMapCacheManager.class)
                    .doesNotHaveBean(SluiceCacheManager.class));
  }

  @ParameterizedTest
  @ValueSource(strings = {"sluice.cache.enabled=true", "sluice.cache.defaults.ttl=1m"})
  void aStoreWithoutCachesIsNamedAtTheStart(String setting) {
    unasked
        .withUserConfiguration(OnADatabase.class)
        .withPropertyValues(setting)
        .run(
            context ->
                assertThat(context)
                    .hasFailed()
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(SettingException.class)
                    .hasMessageStartingWith("sluice.cache: H2 at jdbc:h2:mem:")
                    .hasMessageContaining("has no caches; Redis and memory have")
                    .hasMessageContaining("sluice.cache.enabled=false"));
  }

  @Test
  void readsEverySetting() {
    runner
        .withUserConfiguration(Beans.class)
        .withPropertyValues(
            "sluice.cache.defaults.codec=words",
            "sluice.cache.defaults.near=100",
            "sluice.cache.caches.plain.ttl=1m",
            "sluice.cache.caches.strict.consistency=strong",
            "sluice.cache.caches.strict.near=0",
            "sluice.cache.caches.strict.serial=true",
            "sluice.cache.caches.full.ttl=5m",
            "sluice.cache.caches.full.jitter=0.2",
            "sluice.cache.caches.full.absent-ttl=0s",
            "sluice.cache.caches.full.near-ttl=10s",
            "sluice.cache.caches.full.near-staleness=500ms",
            "sluice.cache.caches.full.guard=ids",
            "sluice.cache.caches.full.stale-on-error=1h",
            "sluice.cache.caches.full.early-refresh=0.2",
            "sluice.cache.caches.full.soft-timeout=50ms",
            "sluice.cache.caches.full.hard-timeout=5s",
            "sluice.cache.caches.full.deadline=200ms",
            "sluice.cache.caches.full.fill-lease=2s",
            "sluice.cache.caches.full.intent=20s",
            "sluice.cache.caches.full.fallback=token-bucket 10/s")
        .run(
            context -> {
              CacheManager manager = context.getBean(CacheManager.class);
              assertThat(manager.getCacheNames()).containsExactly("full", "plain", "strict");
              Cache full = cache(manager, "full");
              String there = full.get("there", () -> "yes");
              String elsewhere = full.get("elsewhere", () -> "not asked");
              assertThat(there).isEqualTo("yes");
              assertThat(elsewhere).isNull();
              GuardedCache<?, ?> store = (GuardedCache<?, ?>) full.getNativeCache();
              assertThat(store.stats().guarded()).isEqualTo(1);

              await() // a copy is served once the log of the cache is being read
                  .untilAsserted(
                      () -> {
                        assertThat(full.get("there")).isNotNull();
                        assertThat(store.stats().nearHits()).isPositive();
                      });
              Cache strict = cache(manager, "strict");
              strict.put("k", "STRONG drops what is put");
              assertThat(strict.get("k")).isNull();

              assertThat(manager.getCache("new")).isSameAs(manager.getCache("new")).isNotNull();
            });
  }

  @Test
  void namesMayBeFixed() {
    runner
        .withPropertyValues(
            "sluice.cache.dynamic=false", "sluice.cache.caches.plain.type=java.lang.String")
        .run(
            context -> {
              CacheManager manager = context.getBean(CacheManager.class);
              assertThat(manager.getCache("plain")).isNotNull();
              assertThat(manager.getCache("other")).isNull();
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "caches.a.ttl=0s                  | sluice.cache.caches.a.ttl: ttl must be PT0.001S",
        "defaults.ttl=31d                 | sluice.cache.defaults.ttl: ttl must be",
        "caches.a.absent-ttl=6m           | sluice.cache.caches.a.absent-ttl: absentTtl must be",
        "caches.a.jitter=1                | sluice.cache.caches.a.jitter: jitter must be 0 to 0.9",
        "caches.a.type=com.acme.Gone      | sluice.cache.caches.a.type: ",
        "caches.a.codec=gone              | sluice.cache.caches.a.codec: no bean 'gone' of type"
            + " Codec",
        "caches.a.guard=gone              | sluice.cache.caches.a.guard: no bean 'gone' of type"
            + " BloomFilter",
        "caches.a.fallback=sometimes      | sluice.cache.caches.a.fallback: ",
        "caches.a.soft-timeout=1s         | sluice.cache.caches.a: softTimeout needs staleOnError"
      })
  void saysAtTheStartWhichSettingIsWrong(String setting, String problem) {
    runner
        .withPropertyValues("sluice.cache." + setting, "sluice.cache.caches.a.near=1")
        .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining(problem));
  }
}
