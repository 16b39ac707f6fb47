package dev.sluice.spring.store;

import dev.sluice.Sluice;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.redis.RedisBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.internal.Opening;
import dev.sluice.spring.internal.StoreChoice;
import dev.sluice.spring.internal.StoreChoice.Kind;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentialsProvider;
import java.util.Locale;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Opens the application's store for the {@code Sluice} bean: its Redis or its DataSource, if the
 * settings choose it, or if only one of them exists together with its module. A {@link Backend} or
 * a {@link Sluice} of the application's own takes its place.
 *
 * @since 0.1
 */
@AutoConfiguration(
    beforeName = "dev.sluice.spring.SluiceAutoConfiguration",
    afterName = {
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
    })
@ConditionalOnProperty(prefix = "sluice", name = "enabled", matchIfMissing = true)
@ConditionalOnMissingBean({Sluice.class, Backend.class})
@EnableConfigurationProperties(SluiceProperties.class)
public final class SluiceStoreAutoConfiguration {

  /** The application's Redis. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({RedisBackend.class, RedisClient.class, DataRedisConnectionDetails.class})
  @ConditionalOnBean(DataRedisConnectionDetails.class)
  @Conditional(OnRedis.class)
  static class Redis {
    @Bean(destroyMethod = "close")
    Backend sluiceBackend(
        DataRedisConnectionDetails details,
        ObjectProvider<RedisCredentialsProvider> credentials,
        SluiceProperties properties,
        Environment environment,
        ConfigurableListableBeanFactory beans) {
      // as Boot's own connection does: the details do not tell of the scheme
      boolean tls =
          environment
              .getProperty("spring.data.redis.url", "")
              .toLowerCase(Locale.ROOT)
              .startsWith("rediss:");
      RedisStore store = new RedisStore(details, tls, credentials.getIfUnique());
      return Opening.with(beans.getBeanClassLoader(), () -> store.open(properties));
    }
  }

  /** The application's DataSource. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({
    JdbcBackend.class,
    EmbeddedDatabaseConnection.class,
    DependsOnDatabaseInitialization.class
  })
  @ConditionalOnBean(DataSource.class)
  @Conditional(OnJdbc.class)
  @EnableConfigurationProperties(JdbcStoreProperties.class)
  static class Jdbc {
    @Bean(destroyMethod = "close")
    @DependsOnDatabaseInitialization
    Backend sluiceBackend(
        ConfigurableListableBeanFactory beans,
        JdbcStoreProperties settings,
        SluiceProperties properties) {
      JdbcStore store = new JdbcStore(settings);
      DataSource source = store.dataSource(beans);
      return Opening.with(beans.getBeanClassLoader(), () -> store.open(source, properties));
    }
  }

  /** The settings choose one kind of store. */
  private abstract static class OnStore extends SpringBootCondition
      implements ConfigurationCondition {
    private final Kind wanted;

    OnStore(Kind wanted) {
      this.wanted = wanted;
    }

    @Override
    public ConfigurationPhase getConfigurationPhase() {
      return ConfigurationPhase.REGISTER_BEAN; // the beans of the application are known then
    }

    @Override
    public ConditionOutcome getMatchOutcome(
        ConditionContext context, AnnotatedTypeMetadata metadata) {
      ConditionMessage.Builder because = ConditionMessage.forCondition("Sluice store");
      ConfigurableListableBeanFactory beans = context.getBeanFactory();
      if (beans == null) {
        return ConditionOutcome.noMatch(because.because("there is no bean factory"));
      }
      StoreChoice choice =
          StoreChoice.of(context.getEnvironment(), beans, context.getClassLoader());
      return new ConditionOutcome(
          choice.kind() == wanted,
          because.because(
              choice.kind()
                  + (choice.said() ? " by the settings" : " by what the application has")));
    }
  }

  static final class OnRedis extends OnStore {
    OnRedis() {
      super(Kind.REDIS);
    }
  }

  static final class OnJdbc extends OnStore {
    OnJdbc() {
      super(Kind.JDBC);
    }
  }
}
