package dev.sluice.spring.limit;

import dev.sluice.Sluice;
import dev.sluice.limit.LimitPlans;
import dev.sluice.micrometer.LimiterMetrics;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.internal.SettingException;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Provides the {@link RateLimiters} of the settings, and limits {@link RateLimited} methods. The
 * meters of these limiters go to Micrometer's registry, if there is one.
 *
 * @since 0.1
 */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnProperty(prefix = "sluice", name = "enabled", matchIfMissing = true)
@ConditionalOnBean(Sluice.class)
public final class RateLimitAutoConfiguration {

  @Bean
  RateLimiters rateLimiters(
      Sluice sluice,
      Environment environment,
      SluiceProperties properties,
      ObjectProvider<LimitPlans> plans) {
    if (properties.policyBook()) {
      SettingException.at("sluice.policy-book", () -> sluice.policyBook().follow());
    }
    LimitPlans planOf = plans.getIfAvailable();
    return new RateLimiters(sluice, () -> LimiterSettings.read(environment, planOf));
  }

  @Bean
  static RateLimitedPostProcessor rateLimitedPostProcessor(Environment environment) {
    RateLimitedPostProcessor processor = new RateLimitedPostProcessor();
    processor.setProxyTargetClass(
        environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
    return processor;
  }

  /** Nacos, Apollo, Consul and ConfigMaps publish changes through Spring Cloud. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(EnvironmentChangeEvent.class)
  static class Reload {
    @Bean
    ApplicationListener<EnvironmentChangeEvent> sluiceLimiterReload(RateLimiters limiters) {
      return event -> limiters.reloadIfRight();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterRegistry.class)
  static class Metrics {
    @Bean
    SmartInitializingSingleton sluiceLimiterMetrics(
        RateLimiters limiters, ObjectProvider<MeterRegistry> registries) {
      return () ->
          registries.ifUnique(
              registry ->
                  limiters.onLimiter(limiter -> LimiterMetrics.of(limiter).bindTo(registry)));
    }
  }
}
