package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.guard.Guard;
import dev.sluice.guard.MemoryGuard;
import dev.sluice.lock.LockObserver;
import dev.sluice.spring.actuate.SluiceEndpointAutoConfiguration;
import dev.sluice.spring.actuate.SluiceHealthAutoConfiguration;
import dev.sluice.spring.cache.GuardedCacheAutoConfiguration;
import dev.sluice.spring.cache.SluiceCacheManager;
import dev.sluice.spring.fencing.FencingAutoConfiguration;
import dev.sluice.spring.http.RateLimitHttpAutoConfiguration;
import dev.sluice.spring.limit.RateLimitAutoConfiguration;
import dev.sluice.spring.limit.RateLimiters;
import dev.sluice.spring.lock.LockAutoConfiguration;
import dev.sluice.spring.store.SluiceStoreAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import jakarta.servlet.Filter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.servlet.DispatcherServlet;

/** All of the starter at once, with one part of its surroundings missing at a time. */
class SluiceConditionsTest {
  private static final Class<?>[] ALL = {
    SluiceAutoConfiguration.class,
    RateLimitAutoConfiguration.class,
    SluiceStoreAutoConfiguration.class,
    RateLimitHttpAutoConfiguration.class,
    GuardedCacheAutoConfiguration.class,
    LockAutoConfiguration.class,
    FencingAutoConfiguration.class,
    SluiceHealthAutoConfiguration.class,
    SluiceEndpointAutoConfiguration.class
  };

  private static final String[] SETTINGS = {
    "sluice.store=memory",
    "sluice.cache.enabled=true",
    "sluice.limiters.api.limits=fixed-window 1/1d",
    "sluice.http.rules[0].path=/**",
    "sluice.http.rules[0].limiter=api",
    "sluice.fencing.rules[0].path=/accounts/{id}"
  };

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class App {}

  private final WebApplicationContextRunner web =
      new WebApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(ALL))
          .withUserConfiguration(App.class)
          .withBean(TestObservationRegistry.class, TestObservationRegistry::create)
          .withPropertyValues(SETTINGS)
          .withBean(Guard.class, MemoryGuard::create);

  private final ApplicationContextRunner plain =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(ALL))
          .withUserConfiguration(App.class)
          .withPropertyValues(SETTINGS)
          .withBean(Guard.class, MemoryGuard::create);

  @Test
  void everythingIsThereWhereEverythingIsThere() {
    web.run(
        context ->
            assertThat(context)
                .hasNotFailed()
                .hasSingleBean(Sluice.class)
                .hasSingleBean(RateLimiters.class)
                .hasBean("sluiceRateLimitFilter")
                .hasBean("rateLimitedAdvice")
                .hasBean("sluiceFencingFilter")
                .hasBean("sluiceFencingAdvice")
                .hasSingleBean(SluiceCacheManager.class)
                .hasSingleBean(LockObserver.class)
                .hasBean("sluiceHealthIndicator"));
  }

  static Stream<Arguments> whatMayBeMissing() {
    return Stream.of(
        Arguments.of(HealthIndicator.class, "sluiceHealthIndicator"),
        Arguments.of(MeterRegistry.class, "sluiceCacheMetrics"),
        Arguments.of(MeterRegistry.class, "sluiceGuardMetrics"),
        Arguments.of(ObservationRegistry.class, "sluiceLockObservations"),
        Arguments.of(DispatcherServlet.class, "rateLimitedAdvice"),
        Arguments.of(DispatcherServlet.class, "sluiceFencingAdvice"),
        Arguments.of(Filter.class, "sluiceRateLimitFilter"),
        Arguments.of(Filter.class, "sluiceFencingFilter"),
        Arguments.of(TransactionSynchronizationManager.class, "none"));
  }

  @ParameterizedTest
  @MethodSource("whatMayBeMissing")
  void theRestGoesOnWithoutAClass(Class<?> missing, String bean) {
    plain
        .withClassLoader(new FilteredClassLoader(missing))
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(Sluice.class)
                    .hasSingleBean(SluiceCacheManager.class)
                    .doesNotHaveBean(bean));
  }

  @Test
  void anApplicationWithoutAWebHasNoFilters() {
    plain.run(
        context ->
            assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(FilterRegistrationBean.class)
                .doesNotHaveBean("rateLimitedAdvice"));
  }

  @Test
  void everythingIsOffWhereSluiceIsOffAlsoBesideAClientOfTheApplication() {
    new WebApplicationContextRunner() // enabled caches would need a manager
        .withConfiguration(AutoConfigurations.of(ALL))
        .withBean(TestObservationRegistry.class, TestObservationRegistry::create)
        .withPropertyValues(SETTINGS)
        .withBean(Guard.class, MemoryGuard::create)
        .withPropertyValues("sluice.enabled=false")
        .withBean(Sluice.class, () -> Sluice.connect("memory:"))
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(Sluice.class)
                    .doesNotHaveBean(RateLimiters.class)
                    .doesNotHaveBean(CacheManager.class)
                    .doesNotHaveBean(LockObserver.class)
                    .doesNotHaveBean(HealthIndicator.class)
                    .doesNotHaveBean(FilterRegistrationBean.class));
  }

  @Test
  void beansOfTheApplicationTakeTheirPlaces() {
    web.withBean("sluice", Sluice.class, () -> Sluice.connect("memory:"))
        .withBean(ConcurrentMapCacheManager.class)
        .withBean("sluiceHealthIndicator", HealthIndicator.class, () -> () -> null)
        .withBean(
            "sluiceRateLimitFilter",
            FilterRegistrationBean.class,
            () -> new FilterRegistrationBean<>((request, response, chain) -> {}))
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(Sluice.class)
                    .doesNotHaveBean(SluiceCacheManager.class)
                    .hasSingleBean(HealthIndicator.class)
                    .getBean("sluiceRateLimitFilter", FilterRegistrationBean.class)
                    .extracting(FilterRegistrationBean::getFilter)
                    .satisfies(
                        filter ->
                            assertThat(filter.getClass().getName()).doesNotContain("RateLimit")));
  }
}
