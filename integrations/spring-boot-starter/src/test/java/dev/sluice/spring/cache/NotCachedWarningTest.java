package dev.sluice.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.SluiceAutoConfiguration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Configuration;

/** The log of an application that uses the annotation without Spring's caching. */
@ExtendWith(OutputCaptureExtension.class)
class NotCachedWarningTest {
  private static final String CACHES_NOTHING = "caches nothing";

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SluiceAutoConfiguration.class, GuardedCacheAutoConfiguration.class))
          .withPropertyValues("sluice.cache.enabled=true");

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Caching {}

  static class Prices {
    final AtomicInteger queries = new AtomicInteger();

    @GuardedCacheable(cacheNames = "prices")
    public String price(long id) {
      return "price " + id + " by query " + queries.incrementAndGet();
    }
  }

  static class MorePrices extends Prices {}

  static class Plain {
    @Cacheable("plain")
    public String find(long id) {
      return "plain " + id;
    }
  }

  @Test
  void aMethodThatCachesNothingIsLoggedOnce(CapturedOutput output) {
    runner
        .withBean("prices", Prices.class)
        .withBean("morePrices", MorePrices.class)
        .run(
            context -> {
              Prices prices = context.getBean("prices", Prices.class);
              assertThat(prices.price(1)).isNotEqualTo(prices.price(1));
              assertThat(output.toString().split(CACHES_NOTHING, -1)).hasSize(2);
              assertThat(output)
                  .contains("WARN")
                  .contains(
                      "@GuardedCacheable at Prices.price caches nothing, because Spring's cache"
                          + " annotations are not enabled: add @EnableCaching to a @Configuration"
                          + " class, and set sluice.cache.enabled=true");
            });
  }

  @Test
  void anApplicationThatEnablesCachingGetsNoWarning(CapturedOutput output) {
    runner
        .withUserConfiguration(Caching.class)
        .withBean(Prices.class)
        .run(
            context -> {
              Prices prices = context.getBean(Prices.class);
              assertThat(prices.price(1)).isEqualTo(prices.price(1));
              assertThat(output).doesNotContain(CACHES_NOTHING);
            });
  }

  @Test
  void anApplicationWithoutTheAnnotationGetsNoWarning(CapturedOutput output) {
    runner
        .withBean(Plain.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(output).doesNotContain(CACHES_NOTHING);
            });
  }
}
