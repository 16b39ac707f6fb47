package dev.sluice.spring.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.jdbc.Dialect;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.lock.Lease;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.redis.RedisBackend;
import dev.sluice.spi.Backend;
import dev.sluice.spring.SluiceAutoConfiguration;
import io.lettuce.core.RedisClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.jdbc.core.JdbcTemplate;

/** The store that the bean uses, and the messages if there is none. */
@ExtendWith(OutputCaptureExtension.class)
class SluiceStoreTest {
  private static final String ALONE = "Sluice works in the memory of this JVM";

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SluiceStoreAutoConfiguration.class, SluiceAutoConfiguration.class))
          .withPropertyValues("sluice.request-timeout=30s");

  private final ApplicationContextRunner withDatabase =
      runner
          .withConfiguration(
              AutoConfigurations.of(
                  DataSourceAutoConfiguration.class,
                  DataSourceInitializationAutoConfiguration.class))
          .withPropertyValues("spring.datasource.generate-unique-name=true");

  private final ApplicationContextRunner withRedis =
      runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));

  private static void assertStarts(ApplicationContextRunner runner, String store) {
    runner.run(
        context -> {
          assertThat(context).hasNotFailed();
          Sluice sluice = context.getBean(Sluice.class);
          assertThat(sluice.describe()).startsWith(store);
          sluice.lock("seat/42").acquire(Duration.ofSeconds(10)).close();
        });
  }

  /** What an operator reads. */
  private static FailureAnalysis failure(ApplicationContextRunner runner) {
    AtomicReference<FailureAnalysis> found = new AtomicReference<>();
    runner.run(
        context -> {
          assertThat(context).hasFailed();
          SpringFactoriesLoader.forDefaultResourceLocation()
              .load(
                  FailureAnalyzer.class,
                  SpringFactoriesLoader.FailureHandler.handleMessage((message, cause) -> {}))
              .stream()
              .filter(each -> each.getClass().getName().startsWith("dev.sluice."))
              .map(analyzer -> analyzer.analyze(context.getStartupFailure()))
              .filter(each -> each != null)
              .forEach(found::set);
        });
    assertThat(found.get()).as("an analysis").isNotNull();
    return found.get();
  }

  // ---- memory ----

  @Test
  void memoryIsTheLastResortAndSaysSoUnlessItIsMeant(CapturedOutput output) {
    assertStarts(runner.withPropertyValues("sluice.store=memory"), "memory");
    assertStarts(runner.withPropertyValues("sluice.url=memory:"), "memory");
    assertStarts(withRedis.withPropertyValues("sluice.store=memory"), "memory");
    assertThat(output).doesNotContain(ALONE);

    assertStarts(runner.withPropertyValues("sluice.url="), "memory");
    assertThat(output).contains(ALONE, "sluice.store=memory");
  }

  @Test
  void aBackendOfTheApplicationIsWhatItWorksOn() {
    MemoryBackend own = new MemoryBackend();
    withDatabase
        .withBean(MemoryBackend.class, () -> own)
        .withPropertyValues("sluice.url=redis://127.0.0.1:1")
        .run(
            context -> {
              assertThat(context).hasSingleBean(Backend.class);
              try (Sluice other = Sluice.builder().backend(own).build();
                  Lease lease = other.lock("seat").acquire(Duration.ZERO)) {
                assertThat(context.getBean(Sluice.class).lock("seat").tryAcquire()).isEmpty();
              }
            });
  }

  @Test
  void aClientOfTheApplicationNeedsNoStore() {
    withDatabase
        .withBean(Sluice.class, () -> Sluice.connect("memory:"))
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Backend.class));
  }

  @Test
  void nothingIsOpenedWhereItIsTurnedOff() {
    withDatabase
        .withPropertyValues("sluice.enabled=false")
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .doesNotHaveBean(Backend.class)
                    .doesNotHaveBean(Sluice.class));
  }

  // ---- the application's database ----

  @Test
  void theOnlyDatabaseIsUsedWithoutAWord(CapturedOutput output) {
    assertStarts(withDatabase, "H2");
    assertThat(output).contains("Sluice works on H2 at jdbc:h2:mem").doesNotContain(ALONE);
    assertStarts(withDatabase.withPropertyValues("sluice.store=jdbc"), "H2");
  }

  @Test
  void theReportOfConditionsSaysWhy() {
    withDatabase.run(
        context ->
            assertThat(
                    ConditionEvaluationReport.get(context.getBeanFactory())
                        .getConditionAndOutcomesBySource()
                        .get(SluiceStoreAutoConfiguration.class.getName() + "$Jdbc"))
                .anySatisfy(
                    outcome ->
                        assertThat(outcome.getOutcome().getMessage())
                            .contains("JDBC by what the application has")));
  }

  @Test
  void aUrlAndAnotherStoreComeBeforeTheDatabase() {
    assertStarts(withDatabase.withPropertyValues("sluice.url=memory:"), "memory");
    assertStarts(withDatabase.withPropertyValues("sluice.store=memory"), "memory");
  }

  @Test
  void aDatabaseWithoutTheModuleForItIsNotUsed() {
    assertStarts(
        withDatabase.withClassLoader(new FilteredClassLoader(JdbcBackend.class)), "memory");
  }

  @Test
  void missingTablesAreShownWithWhatMakesThem() {
    FailureAnalysis analysis =
        failure(withDatabase.withPropertyValues("sluice.jdbc.initialize-schema=never"));
    assertThat(analysis.getDescription())
        .contains("lacks the tables of Sluice", "CREATE TABLE", "sluice_locks");
    assertThat(analysis.getAction()).contains("sluice.jdbc.initialize-schema=always");
  }

  @Test
  void missingTablesBehindAUrlAreShownToo(@TempDir Path folder) {
    FailureAnalysis analysis =
        failure(runner.withPropertyValues("sluice.url=jdbc:h2:file:" + folder.resolve("shop")));
    assertThat(analysis.getDescription()).startsWith("No tables at jdbc:h2:...: ");
    assertThat(analysis.getDescription()).contains("CREATE TABLE", "sluice_locks");
    assertThat(analysis.getAction()).contains("migrations");
  }

  @Test
  void tablesAreMadeOnlyInEmbeddedDatabasesUnlessSettingsSayOtherwise(@TempDir Path folder) {
    ApplicationContextRunner inAFile =
        withDatabase.withPropertyValues(
            "spring.datasource.generate-unique-name=false",
            "spring.datasource.url=jdbc:h2:file:" + folder.resolve("shop"));
    assertThat(failure(inAFile).getDescription()).contains("lacks the tables of Sluice");
    ApplicationContextRunner always =
        inAFile.withPropertyValues("sluice.jdbc.initialize-schema=always");
    assertStarts(always.withPropertyValues("sluice.jdbc.table-prefix=shop_"), "H2");
    assertStarts(
        inAFile.withPropertyValues("sluice.jdbc.table-prefix=shop_"), "H2"); // they are there
    assertThat(failure(inAFile.withPropertyValues("sluice.jdbc.table-prefix=1")).getDescription())
        .contains("tablePrefix must be 1 to 32 letters");
  }

  @Test
  void aNamespaceIsThatOfEveryStore() {
    ApplicationContextRunner shop = runner.withPropertyValues("sluice.namespace=shop");
    assertStarts(shop.withPropertyValues("sluice.url=memory:"), "memory");
    ApplicationContextRunner database =
        withDatabase.withPropertyValues("spring.datasource.url=jdbc:h2:mem:spaces");
    database
        .withPropertyValues("sluice.namespace=shop")
        .run(
            context ->
                assertThat(context.getBean(Sluice.class).describe())
                    .isEqualTo("H2 at jdbc:h2:mem:spaces in namespace shop"));
    runner
        .withPropertyValues(
            "sluice.namespace=shop", "sluice.url=jdbc:h2:mem:others;namespace=other")
        .run(
            context ->
                assertThat(context.getBean(Sluice.class).describe())
                    .endsWith(" in namespace shop"));
    for (ApplicationContextRunner each :
        List.of(runner, database, withRedis.withPropertyValues("sluice.store=redis"))) {
      assertThat(failure(each.withPropertyValues("sluice.namespace=Shop")).getDescription())
          .startsWith("sluice.namespace: namespace must be 1 to 32")
          .endsWith("'Shop'");
    }
    FailureAnalysis own = failure(shop.withBean("own", Backend.class, MemoryBackend::new));
    assertThat(own.getDescription()).contains("sluice.namespace is set", "its own Backend");
    assertThat(own.getAction()).contains("namespace(...)");
  }

  @Test
  void migrationsMayMakeTheTables(@TempDir Path folder) throws Exception {
    Path migration = folder.resolve("migration.sql");
    Files.writeString(migration, JdbcBackend.ddl(Dialect.H2) + ";");
    withDatabase
        .withPropertyValues(
            "sluice.jdbc.initialize-schema=never",
            "spring.sql.init.schema-locations=file:" + migration)
        .run(
            context -> {
              Sluice sluice = context.getBean(Sluice.class);
              try (Lease lease = sluice.lock("seat").acquire(Duration.ofSeconds(10))) {
                Integer rows =
                    new JdbcTemplate(context.getBean(DataSource.class))
                        .queryForObject("SELECT COUNT(*) FROM sluice_locks", Integer.class);
                assertThat(rows).isEqualTo(1);
              }
            });
  }

  private static DataSource memoryDatabase(String name) {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
    return source;
  }

  @Test
  void ofSeveralDatabasesOneMustBeNamed() {
    ApplicationContextRunner several =
        runner
            .withBean("orders", DataSource.class, () -> memoryDatabase("orders"))
            .withBean("reports", DataSource.class, () -> memoryDatabase("reports"));

    FailureAnalysis analysis = failure(several);
    assertThat(analysis.getDescription()).contains("there are several: orders, reports");
    assertThat(analysis.getAction()).contains("sluice.jdbc.data-source", "@Primary");

    assertStarts(
        several.withPropertyValues("sluice.jdbc.data-source=reports"), "H2 at jdbc:h2:mem:reports");
    assertThat(
            failure(several.withPropertyValues("sluice.jdbc.data-source=stock")).getDescription())
        .contains("one of orders, reports: 'stock'");
    assertStarts(
        several.withBean(
            "main",
            DataSource.class,
            () -> memoryDatabase("main"),
            definition -> definition.setPrimary(true)),
        "H2 at jdbc:h2:mem:main");
  }

  // ---- what is missing ----

  @Test
  void whatIsMissingForTheDatabaseIsNamed() {
    ApplicationContextRunner jdbc = runner.withPropertyValues("sluice.store=jdbc");
    FailureAnalysis noDatabase = failure(jdbc);
    assertThat(noDatabase.getDescription()).contains("the application has no DataSource");
    assertThat(noDatabase.getAction()).contains("spring-boot-starter-jdbc", "sluice.url=jdbc:");
    assertThat(
            failure(jdbc.withClassLoader(new FilteredClassLoader(JdbcBackend.class))).getAction())
        .contains("Add dev.sluice:sluice-jdbc");
    assertThat(
            failure(
                    jdbc.withBean(DataSource.class, () -> memoryDatabase("bare"))
                        .withClassLoader(new FilteredClassLoader(EmbeddedDatabaseConnection.class)))
                .getAction())
        .contains("Add org.springframework.boot:spring-boot-starter-jdbc");
  }

  @Test
  void whatIsMissingForRedisIsNamed() {
    ApplicationContextRunner redis = runner.withPropertyValues("sluice.store=redis");
    Function<Class<?>, String> without =
        type -> failure(redis.withClassLoader(new FilteredClassLoader(type))).getAction();
    assertThat(without.apply(RedisBackend.class)).contains("Add dev.sluice:sluice-redis");
    assertThat(without.apply(RedisClient.class)).contains("Add io.lettuce:lettuce-core");
    assertThat(without.apply(DataRedisConnectionDetails.class))
        .contains("spring-boot-starter-data-redis", "sluice.url=redis://");
    assertThat(failure(redis).getDescription()).contains("no bean of type DataRedisConnection");
  }

  @Test
  void theModuleForAUrlIsNamed() {
    ApplicationContextRunner bare =
        runner.withClassLoader(
            new FilteredClassLoader(
                new ClassPathResource("META-INF/services/dev.sluice.spi.BackendProvider")));
    Function<String, String> remedy =
        url -> failure(bare.withPropertyValues("sluice.url=" + url)).getAction();
    assertThat(remedy.apply("redis-cluster://a"))
        .isEqualTo("Add dev.sluice:sluice-redis to the class path.");
    assertThat(remedy.apply("jdbc:postgresql:x")).contains("Add dev.sluice:sluice-jdbc");
    assertThat(remedy.apply("zookeeper://a")).contains("Add dev.sluice:sluice-zookeeper");
    FailureAnalysis driver =
        failure(runner.withPropertyValues("sluice.url=jdbc:mariadb://127.0.0.1/x?password=hu@sh"));
    assertThat(driver.getDescription())
        .contains("add the jar of org.mariadb.jdbc:mariadb-java-client")
        .doesNotContain("hu@", "sh'");
    assertThat(driver.getAction()).contains("JDBC driver");
    assertThat(
            failure(runner.withPropertyValues("sluice.url=redis://127.0.0.1:port"))
                .getDescription())
        .contains("No Sluice client for 'redis://127.0.0.1:port'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spring.data.redis.host=127.0.0.1",
        "spring.data.redis.url=redis://127.0.0.1",
        "spring.data.redis.sentinel.master=shop",
        "spring.data.redis.cluster.nodes=127.0.0.1:7000"
      })
  void aRedisThatIsSetAndCannotBeUsedEndsTheStart(String setting, CapturedOutput output) {
    ApplicationContextRunner set = runner.withPropertyValues(setting);
    FailureAnalysis noDetails = failure(set);
    assertThat(noDetails.getDescription())
        .startsWith("spring.data.redis.* and sluice-redis are there, and")
        .contains("no bean of type DataRedisConnectionDetails");
    assertThat(noDetails.getAction())
        .contains("spring-boot-starter-data-redis", "sluice.url=redis:", "sluice.store=memory");
    FailureAnalysis noSupport =
        failure(set.withClassLoader(new FilteredClassLoader(DataRedisConnectionDetails.class)));
    assertThat(noSupport.getDescription()).contains("Spring Boot's settings of Redis are not on");
    assertThat(noSupport.getAction()).contains("spring-boot-starter-data-redis");
    assertThat(output).doesNotContain(ALONE);

    assertStarts(set.withPropertyValues("sluice.store=memory"), "memory");
    assertStarts(set.withClassLoader(new FilteredClassLoader(RedisBackend.class)), "memory");
  }

  @Test
  void aDatabaseThatIsSetAndCannotBeUsedEndsTheStart() {
    ApplicationContextRunner set =
        runner.withPropertyValues("spring.datasource.url=jdbc:h2:mem:set");
    FailureAnalysis analysis = failure(set);
    assertThat(analysis.getDescription())
        .startsWith("spring.datasource.* and sluice-jdbc are there, and")
        .contains("the application has no DataSource");
    assertThat(analysis.getAction()).contains("spring-boot-starter-jdbc", "sluice.store=memory");
    assertThat(
            failure(
                    withRedis.withPropertyValues(
                        "spring.datasource.url=jdbc:h2:mem:set", "spring.data.redis.port=1"))
                .getDescription())
        .contains("the application's Redis or on its DataSource");
    assertStarts(set.withPropertyValues("sluice.store=memory"), "memory");
    assertStarts(set.withClassLoader(new FilteredClassLoader(JdbcBackend.class)), "memory");
  }

  @Test
  void aUrlAndAStoreContradictEachOther() {
    FailureAnalysis analysis =
        failure(runner.withPropertyValues("sluice.url=memory:", "sluice.store=memory"));
    assertThat(analysis.getDescription()).contains("sluice.url and sluice.store are both set");
    assertThat(analysis.getAction()).isEqualTo("Remove one of them.");
  }

  @Test
  void redisAndADatabaseAreOneTooMany() {
    ApplicationContextRunner both =
        withDatabase.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));
    FailureAnalysis analysis = failure(both);
    assertThat(analysis.getDescription()).contains("the application's Redis or on its DataSource");
    assertThat(analysis.getAction()).contains("sluice.store=redis", "sluice.store=jdbc");
    assertStarts(both.withPropertyValues("sluice.store=jdbc"), "H2");
    assertStarts(both.withClassLoader(new FilteredClassLoader(RedisBackend.class)), "H2");
  }
}
