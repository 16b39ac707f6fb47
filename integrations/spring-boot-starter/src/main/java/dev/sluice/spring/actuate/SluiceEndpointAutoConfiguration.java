package dev.sluice.spring.actuate;

import dev.sluice.Sluice;
import dev.sluice.spring.cache.GuardedCacheAutoConfiguration;
import dev.sluice.spring.cache.SluiceCacheManager;
import dev.sluice.spring.limit.RateLimitAutoConfiguration;
import dev.sluice.spring.limit.RateLimiters;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Actuator endpoints {@code sluicelocks}, {@code sluicelimits} and {@code sluicecaches}, if the
 * application exposes them. They only read, unless {@code sluice.endpoints.force-release} is on.
 *
 * @since 0.1
 */
@AutoConfiguration(after = {RateLimitAutoConfiguration.class, GuardedCacheAutoConfiguration.class})
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnProperty(prefix = "sluice", name = "enabled", matchIfMissing = true)
public final class SluiceEndpointAutoConfiguration {

  /** Locks. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnSingleCandidate(Sluice.class)
  @ConditionalOnAvailableEndpoint(SluiceLocksEndpoint.class)
  static class Locks {
    @Bean
    @ConditionalOnProperty(prefix = "sluice.endpoints", name = "force-release")
    ReleasingLocksEndpoint sluiceReleasingLocksEndpoint(Sluice sluice) {
      return new ReleasingLocksEndpoint(sluice);
    }

    @Bean
    @ConditionalOnMissingBean
    SluiceLocksEndpoint sluiceLocksEndpoint(Sluice sluice) {
      return new SluiceLocksEndpoint(sluice);
    }
  }

  /** Rate limiters. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBean(RateLimiters.class)
  @ConditionalOnAvailableEndpoint(SluiceLimitsEndpoint.class)
  static class Limits {
    @Bean
    @ConditionalOnMissingBean
    SluiceLimitsEndpoint sluiceLimitsEndpoint(RateLimiters limiters) {
      return new SluiceLimitsEndpoint(limiters);
    }
  }

  /** Guarded caches. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBean(SluiceCacheManager.class)
  @ConditionalOnAvailableEndpoint(SluiceCachesEndpoint.class)
  static class Caches {
    @Bean
    @ConditionalOnMissingBean
    SluiceCachesEndpoint sluiceCachesEndpoint(SluiceCacheManager manager) {
      return new SluiceCachesEndpoint(manager);
    }
  }
}
