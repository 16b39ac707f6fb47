package dev.sluice.spring.cache;

import dev.sluice.Sluice;
import dev.sluice.cache.CacheMetrics;
import dev.sluice.cache.GuardedCache;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.internal.SettingException;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/**
 * Guarded caches behind Spring's cache annotations, if these are enabled, {@code sluice.cache} is
 * set, and the application defines no cache manager. Their meters go to Micrometer's registry, if
 * there is one. A {@link GuardedCacheable} method of an application without {@code @EnableCaching}
 * is logged as a warning.
 *
 * @since 0.1
 */
@AutoConfiguration(
    after = SluiceAutoConfiguration.class,
    beforeName = "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration")
@ConditionalOnClass(CacheManager.class)
@ConditionalOnBean(Sluice.class)
@ConditionalOnProperty(
    name = {"sluice.enabled", "sluice.cache.enabled"},
    havingValue = "true",
    matchIfMissing = true)
public final class GuardedCacheAutoConfiguration {
  private static final boolean TRANSACTIONS =
      ClassUtils.isPresent(
          "org.springframework.transaction.support.TransactionSynchronizationManager",
          GuardedCacheAutoConfiguration.class.getClassLoader());

  /** Spring's cache annotations are not enabled. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(CacheAspectSupport.class)
  static class NotEnabled {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static NotCachedWarning sluiceNotCachedWarning() {
      return new NotCachedWarning();
    }
  }

  /** Spring's cache annotations are enabled. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBean(CacheAspectSupport.class)
  static class Enabled {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GuardedCacheableCheck sluiceGuardedCacheableCheck(ListableBeanFactory beans) {
      return new GuardedCacheableCheck(beans);
    }
  }

  /** Sluice is the cache manager. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBean(CacheAspectSupport.class)
  @ConditionalOnMissingBean(value = CacheManager.class, name = "cacheResolver")
  @Conditional(CachesConfigured.class)
  static class Caches {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ValueTypes sluiceCacheValueTypes() {
      return new ValueTypes();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CacheDeclarations sluiceCacheDeclarations(ConfigurableBeanFactory beans) {
      return new CacheDeclarations(
          text -> {
            String resolved = beans.resolveEmbeddedValue(text);
            return resolved == null ? "" : resolved;
          });
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CacheCallAdvisor sluiceCacheCallAdvisor(
        ValueTypes types, CacheDeclarations declarations) {
      return new CacheCallAdvisor(types, declarations);
    }

    @Bean
    SluiceCacheManager cacheManager(
        Sluice sluice,
        SluiceProperties properties,
        BeanFactory beans,
        ValueTypes types,
        CacheDeclarations declarations) {
      try {
        GuardedCache.all(sluice);
      } catch (UnsupportedOperationException e) {
        throw new SettingException(
            "sluice.cache",
            e.getMessage()
                + ". Remove the settings under sluice.cache or set sluice.cache.enabled=false, for"
                + " Spring Boot's own cache manager; or name a store that has caches");
      }
      SluiceProperties.Caching settings = properties.cache();
      CacheBuilds builds = new CacheBuilds(sluice, settings, beans, types, declarations);
      return new SluiceCacheManager(
          builds::build,
          builds::names,
          settings.dynamic(),
          settings.transactions() && TRANSACTIONS ? new TransactionalWrites() : null);
    }

    @Bean
    SmartInitializingSingleton sluiceCacheStart(SluiceCacheManager manager) {
      return manager::start;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Metrics {
      @Bean
      SmartInitializingSingleton sluiceCacheMetrics(
          SluiceCacheManager manager, ObjectProvider<MeterRegistry> registries) {
        return () ->
            registries.ifUnique(
                registry ->
                    manager.onCache(
                        cache ->
                            CacheMetrics.of(cache, "cache.manager", "cacheManager")
                                .bindTo(registry)));
      }
    }
  }

  /** Spring Boot configures caching that only Spring's annotations use. */
  static final class CachesConfigured extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(
        ConditionContext context, AnnotatedTypeMetadata metadata) {
      boolean any =
          Binder.get(context.getEnvironment())
              .bind("sluice.cache", Bindable.mapOf(String.class, Object.class))
              .map(settings -> !settings.isEmpty())
              .orElse(false);
      ConditionMessage.Builder because = ConditionMessage.forCondition("sluice.cache");
      return new ConditionOutcome(any, any ? because.because("set") : because.because("not set"));
    }
  }
}
