package dev.sluice.spring;

import dev.sluice.lock.LockObserver;
import dev.sluice.micrometer.LockObservations;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Timers and spans of the locks of the auto-configured client, where the application observes at
 * all. A {@link LockObserver} of the application's own takes their place.
 *
 * @since 0.1
 */
@AutoConfiguration(
    before = SluiceAutoConfiguration.class,
    afterName =
        "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnProperty(
    name = {"sluice.enabled", "sluice.lock.observations.enabled"},
    havingValue = "true",
    matchIfMissing = true)
@EnableConfigurationProperties(SluiceProperties.class)
public final class LockObservationAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(LockObserver.class)
  LockObservations sluiceLockObservations(
      ObservationRegistry registry, SluiceProperties properties) {
    SluiceProperties.Lock.Observations settings = properties.lock().observations();
    LockObservations observations = LockObservations.of(registry).named(settings.names());
    return settings.fullNamesOnSpans() ? observations.withFullNamesOnSpans() : observations;
  }
}
