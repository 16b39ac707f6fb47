package dev.sluice.spring.actuate;

import dev.sluice.Sluice;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.SluiceProperties;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Contributes the store's health to Spring Boot's health endpoint, if there is one.
 *
 * @since 0.1
 */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnSingleCandidate(Sluice.class)
@ConditionalOnProperty(prefix = "sluice", name = "enabled", matchIfMissing = true)
@ConditionalOnEnabledHealthIndicator("sluice")
public final class SluiceHealthAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = {"sluiceHealthIndicator", "sluiceHealthContributor"})
  HealthIndicator sluiceHealthIndicator(Sluice sluice, SluiceProperties properties) {
    SluiceProperties.Health settings = properties.health();
    Checkup checkup = new Checkup(sluice, settings.examineEvery(), properties.requestTimeout());
    return new SluiceHealthIndicator(sluice, checkup, settings.downOn());
  }
}
