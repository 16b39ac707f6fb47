package dev.sluice.spring;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.LockObserver;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Provides one {@link Sluice} for the application, connected at start and closed at its end, and
 * the {@link RateLimiters} that its settings name. A bean of the application's own takes the place
 * of the former.
 */
@AutoConfiguration
@ConditionalOnProperty(prefix = "sluice", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(SluiceProperties.class)
public final class SluiceAutoConfiguration {

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Sluice sluice(SluiceProperties properties, ObjectProvider<LockObserver> observer) {
    try {
      Sluice.Builder builder =
          Sluice.builder()
              .uri(properties.url())
              .requestTimeout(properties.requestTimeout())
              .maxTtl(properties.lock().maxTtl())
              .clockDrift(properties.lock().clockDrift());
      observer.ifAvailable(builder::observer);
      return builder.build();
    } catch (IllegalArgumentException | BackendException e) {
      throw new SluiceStartException(properties.url(), e);
    }
  }

  @Bean
  RateLimiters rateLimiters(Sluice sluice, Environment environment) {
    return new RateLimiters(sluice, () -> LimiterSettings.read(environment));
  }

  @Bean
  static RateLimitedPostProcessor rateLimitedPostProcessor(Environment environment) {
    RateLimitedPostProcessor processor = new RateLimitedPostProcessor();
    processor.setProxyTargetClass(byClass(environment));
    return processor;
  }

  @Bean
  static LockedPostProcessor lockedPostProcessor(Environment environment) {
    LockedPostProcessor processor = new LockedPostProcessor();
    processor.setProxyTargetClass(byClass(environment));
    return processor;
  }

  private static boolean byClass(Environment environment) {
    return environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
  }
}
