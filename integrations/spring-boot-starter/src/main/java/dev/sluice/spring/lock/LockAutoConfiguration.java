package dev.sluice.spring.lock;

import dev.sluice.Sluice;
import dev.sluice.lock.LockObserver;
import dev.sluice.micrometer.LockObservations;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.SluiceProperties;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Runs {@link Locked} methods under their locks. If the application has an {@code
 * ObservationRegistry}, the locks of the auto-configured client get timers and spans. A {@link
 * LockObserver} of the application's own takes their place.
 *
 * @since 0.1
 */
@AutoConfiguration(
    after = SluiceAutoConfiguration.class,
    afterName =
        "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnProperty(prefix = "sluice", name = "enabled", matchIfMissing = true)
@ConditionalOnBean(Sluice.class)
public final class LockAutoConfiguration {

  @Bean
  static LockedPostProcessor lockedPostProcessor(Environment environment) {
    LockedPostProcessor processor = new LockedPostProcessor();
    processor.setProxyTargetClass(
        environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
    return processor;
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(ObservationRegistry.class)
  @ConditionalOnBean(ObservationRegistry.class)
  @ConditionalOnProperty(name = "sluice.lock.observations.enabled", matchIfMissing = true)
  @EnableConfigurationProperties(SluiceProperties.class)
  static class Observations {
    @Bean
    @ConditionalOnMissingBean(LockObserver.class)
    LockObservations sluiceLockObservations(
        ObservationRegistry registry, SluiceProperties properties) {
      SluiceProperties.Lock.Observations settings = properties.lock().observations();
      LockObservations observations = LockObservations.of(registry).named(settings.names());
      return settings.fullNamesOnSpans() ? observations.fullNamesOnSpans() : observations;
    }
  }
}
