package dev.sluice.spring;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.SluiceBuilder;
import dev.sluice.lock.LockObserver;
import dev.sluice.spi.Backend;
import dev.sluice.spring.internal.Opening;
import dev.sluice.spring.internal.SettingException;
import dev.sluice.spring.internal.SluiceStartException;
import dev.sluice.spring.internal.StoreChoice;
import dev.sluice.spring.store.SluiceStoreAutoConfiguration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Provides one {@link Sluice} for the application, connected at start and closed at its end. A
 * {@code Sluice} of the application's own takes its place; a {@link Backend} of the application's
 * own is what it works on.
 *
 * @since 0.1
 */
@AutoConfiguration
@ConditionalOnProperty(prefix = "sluice", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(SluiceProperties.class)
public final class SluiceAutoConfiguration {
  private static final Log LOG = LogFactory.getLog(SluiceAutoConfiguration.class);

  @Bean
  static BootVersion sluiceBootVersion() {
    return new BootVersion(SpringBootVersion.getVersion());
  }

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Sluice sluice(
      SluiceProperties properties,
      ObjectProvider<Backend> backends,
      ObjectProvider<LockObserver> observer,
      Environment environment,
      ConfigurableListableBeanFactory beans) {
    SluiceBuilder builder = Sluice.builder();
    try {
      builder.maxTtl(properties.lock().maxTtl()).clockDrift(properties.lock().clockDrift());
    } catch (IllegalArgumentException e) {
      throw SluiceStartException.ofSettings(e);
    }
    observer.ifAvailable(builder::observer);
    Backend backend = backends.getIfAvailable();
    String namespace = properties.namespace();
    if (backend != null) {
      if (namespace != null && isOfTheApplication(beans)) {
        throw new SluiceStartException(
            "sluice.namespace is set, and the application has its own Backend, whose namespace"
                + " is set where it is built",
            "Call namespace(...) on the builder of the Backend, and remove sluice.namespace.");
      }
      Sluice sluice = builder.backend(backend).build();
      LOG.info("Sluice works on " + sluice.describe());
      return sluice;
    }
    String url = url(properties, environment, beans);
    if (namespace != null) {
      SettingException.at("sluice.namespace", () -> builder.namespace(namespace));
    }
    try {
      builder.uri(url).requestTimeout(properties.requestTimeout());
      return Opening.with(beans.getBeanClassLoader(), builder::build);
    } catch (IllegalArgumentException | UnsupportedOperationException | BackendException e) {
      throw SluiceStartException.ofUrl(url, e);
    }
  }

  private static boolean isOfTheApplication(ListableBeanFactory beans) {
    return beans.getBeanNamesForType(SluiceStoreAutoConfiguration.class, true, false).length == 0;
  }

  private static String url(
      SluiceProperties properties, Environment environment, ConfigurableListableBeanFactory beans) {
    StoreChoice choice = StoreChoice.of(environment, beans, beans.getBeanClassLoader());
    String url = properties.url();
    if (choice.kind() == StoreChoice.Kind.URL && url != null) {
      return url;
    }
    if (choice.kind() != StoreChoice.Kind.MEMORY) {
      throw choice.failure(beans, beans.getBeanClassLoader());
    }
    if (!choice.said()) {
      LOG.warn(
          "Sluice works in the memory of this JVM: its locks, limits and caches coordinate no other"
              + " process. Name a store by sluice.url or sluice.store, or set sluice.store=memory if"
              + " this is meant.");
    }
    return "memory:";
  }
}
