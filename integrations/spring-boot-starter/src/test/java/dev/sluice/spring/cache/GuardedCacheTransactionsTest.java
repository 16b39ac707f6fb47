package dev.sluice.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spring.SluiceAutoConfiguration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

/** Evictions inside transactions of a real database. */
class GuardedCacheTransactionsTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SluiceAutoConfiguration.class, GuardedCacheAutoConfiguration.class))
          .withPropertyValues("sluice.store=memory")
          .withUserConfiguration(App.class)
          .withPropertyValues("sluice.cache.enabled=true");

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  @EnableTransactionManagement
  static class App {
    @Bean
    DataSource dataSource() {
      return new DriverManagerDataSource(
          "jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1", "sa", "");
    }

    @Bean
    PlatformTransactionManager transactions(DataSource database) {
      return new DataSourceTransactionManager(database);
    }

    @Bean
    Names names(DataSource database) {
      return new Names(new JdbcTemplate(database));
    }
  }

  static class Names {
    private final JdbcTemplate jdbc;

    Names(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
      jdbc.execute("CREATE TABLE names (id INT PRIMARY KEY, name VARCHAR(20))");
      jdbc.execute("INSERT INTO names VALUES (1, 'old'), (2, 'old')");
    }

    @Cacheable("names")
    String find(int id) {
      return Objects.requireNonNull(
          jdbc.queryForObject("SELECT name FROM names WHERE id = ?", String.class, id));
    }

    @CacheEvict(cacheNames = "names", key = "#id")
    void save(int id, String name) {
      jdbc.update("UPDATE names SET name = ? WHERE id = ?", name, id);
    }

    @CachePut(cacheNames = "names", key = "#id")
    String saveAndKeep(int id, String name) {
      jdbc.update("UPDATE names SET name = ? WHERE id = ?", name, id);
      return name;
    }

    @CacheEvict(cacheNames = "names", allEntries = true)
    void saveAll(String name) {
      jdbc.update("UPDATE names SET name = ?", name);
    }
  }

  /** Runs a write in a transaction, and a reader on another thread before the commit. */
  private void write(
      TransactionTemplate transaction, Runnable write, Runnable reader, boolean commit) {
    transaction.executeWithoutResult(
        status -> {
          write.run();
          CompletableFuture.runAsync(reader).orTimeout(60, TimeUnit.SECONDS).join();
          if (!commit) {
            status.setRollbackOnly();
          }
        });
  }

  @Test
  void whatWasReadBeforeTheCommitIsNotStored() {
    runner.run(
        context -> {
          Names names = context.getBean(Names.class);
          TransactionTemplate transaction =
              new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
          assertThat(names.find(1)).isEqualTo("old");
          write(
              transaction,
              () -> {
                names.save(1, "new");
                names.save(1, "new"); // twice in one transaction
              },
              () -> assertThat(names.find(1)).as("not committed yet").isEqualTo("old"),
              true);
          assertThat(names.find(1)).isEqualTo("new");

          write(
              transaction,
              () -> names.save(1, "undone"),
              () -> assertThat(names.find(1)).isEqualTo("new"),
              false);
          assertThat(names.find(1)).isEqualTo("new");

          write(
              transaction,
              () -> names.saveAndKeep(1, "undone"),
              () -> assertThat(names.find(1)).isEqualTo("new"),
              false);
          assertThat(names.find(1)).as("a put that was rolled back").isEqualTo("new");

          write(
              transaction,
              () -> names.saveAll("all"),
              () -> assertThat(names.find(2)).isEqualTo("old"),
              true);
          assertThat(names.find(2)).isEqualTo("all");
        });
  }

  @Test
  void withoutTheSettingAnEvictionIsImmediate() {
    runner
        .withPropertyValues("sluice.cache.transactions=false")
        .run(
            context -> {
              Names names = context.getBean(Names.class);
              Cache cache =
                  Objects.requireNonNull(context.getBean(CacheManager.class).getCache("names"));
              TransactionTemplate transaction =
                  new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
              write(
                  transaction,
                  () -> names.save(1, "new"),
                  () -> assertThat(names.find(1)).isEqualTo("old"),
                  true);
              assertThat(cache.get(1)).as("the race that the setting closes").isNotNull();
              assertThat(names.find(1)).isEqualTo("old");
            });
  }

  @Test
  void aWriteIsRefusedWhenAStrongStoreIsGone() {
    runner
        .withPropertyValues("sluice.cache.defaults.consistency=strong")
        .run(
            context -> {
              Names names = context.getBean(Names.class);
              assertThat(names.find(1)).isEqualTo("old");
              TransactionTemplate transaction =
                  new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
              context.getBean(dev.sluice.Sluice.class).close();
              assertThatThrownBy(
                      () -> transaction.executeWithoutResult(status -> names.save(1, "new")))
                  .isInstanceOf(IllegalStateException.class);
              assertThat(
                      new JdbcTemplate(context.getBean(DataSource.class))
                          .queryForObject("SELECT name FROM names WHERE id = 1", String.class))
                  .isEqualTo("old");
            });
  }
}
