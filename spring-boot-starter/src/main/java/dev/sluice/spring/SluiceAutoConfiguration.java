package dev.sluice.spring;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Provides one {@link Sluice} for the application, connected at start and closed at its end. A bean
 * of the application's own takes its place.
 */
@AutoConfiguration
@ConditionalOnProperty(prefix = "sluice", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(SluiceProperties.class)
public final class SluiceAutoConfiguration {

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Sluice sluice(SluiceProperties properties) {
    try {
      return Sluice.builder()
          .uri(properties.url())
          .requestTimeout(properties.requestTimeout())
          .maxTtl(properties.lock().maxTtl())
          .clockDrift(properties.lock().clockDrift())
          .build();
    } catch (IllegalArgumentException | BackendException e) {
      throw new SluiceStartException(properties.url(), e);
    }
  }
}
