package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.guard.FencingToken;
import dev.sluice.limit.RateLimitedException;
import dev.sluice.lock.Lease;
import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.SourceTree;
import dev.sluice.spring.cache.SluiceCacheManager;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cache.CacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.util.ReflectionUtils;

/**
 * The application of docs/spring-boot.md compiles, starts with the settings beside it, and works;
 * other blocks, and those of docs/migration.md and docs/security.md, compile.
 */
class DocumentedSpringBootTest {
  private static final DocumentBlocks BLOCKS =
      new DocumentBlocks(
          "Sluice sluice, org.springframework.jdbc.core.JdbcTemplate jdbc",
          "dev.sluice.spring.cache.*",
          "dev.sluice.spring.limit.*",
          "dev.sluice.spring.lock.*",
          "org.springframework.boot.*",
          "org.springframework.boot.autoconfigure.*",
          "io.lettuce.core.RedisCredentials",
          "io.lettuce.core.RedisCredentialsProvider",
          "java.util.function.Supplier",
          "org.springframework.cache.annotation.*",
          "org.springframework.context.annotation.Bean",
          "org.springframework.scheduling.annotation.*",
          "org.springframework.stereotype.Service",
          "org.springframework.transaction.annotation.Transactional");

  @TempDir Path folder;

  @TestFactory
  Stream<DynamicTest> theOtherBlocksCompile() {
    return Stream.of("spring-boot.md", "migration.md", "security.md")
        .flatMap(file -> Stream.of(file, "zh/" + file))
        .flatMap(
            file -> DocumentBlocks.of(SourceTree.path("docs").resolve(file), "spring").stream())
        .map(
            block ->
                DynamicTest.dynamicTest(
                    block.toString(), () -> BLOCKS.compileMembers(block, folder)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"spring-boot.md", "zh/spring-boot.md"})
  void theApplicationWorks(String page) throws Throwable {
    Path document = SourceTree.path("docs").resolve(page);
    List<DocumentBlocks.Block> applications = DocumentBlocks.of(document, "application");
    assertThat(applications).hasSize(1);
    assertThat(applications.get(0).code().lines().count()).isBetween(35L, 45L);
    String name = BLOCKS.compileClass(applications.get(0), folder);
    List<PropertySource<?>> settings = DocumentedSettingsTest.blocks(page);
    assertThat(settings).hasSize(1);

    try (URLClassLoader loader =
            new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader());
        ConfigurableApplicationContext app =
            new SpringApplicationBuilder()
                .resourceLoader(new DefaultResourceLoader(loader))
                .sources(loader.loadClass(name))
                .web(WebApplicationType.NONE)
                .initializers(
                    context ->
                        settings.forEach(context.getEnvironment().getPropertySources()::addLast))
                .run("--sluice.store=memory", "--spring.main.banner-mode=off")) {
      Orders orders = new Orders(app.getBean(loader.loadClass(name + "$Orders")));
      Sluice sluice = app.getBean(Sluice.class);

      assertThat(orders.call("left", "tea")).isEqualTo(1);
      assertThat(orders.buy("ann")).isEqualTo("sold");
      assertThat(orders.call("left", "tea")).as("evicted").isEqualTo(0);
      assertThat(orders.buy("bob")).isEqualTo("sold out");
      try (Lease lease = sluice.lock("stock/tea").acquire(Duration.ofSeconds(10))) {
        assertThat(orders.buy("cid")).isEqualTo("come back later");
      }
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100; i++) {
                  orders.buy("dan");
                }
              })
          .isInstanceOf(RateLimitedException.class);
      try (Lease lease = sluice.lock("restock").acquire(Duration.ofSeconds(10))) {
        restock(app);
      }
      assertThat(orders.buy("eve")).as("not restocked").isEqualTo("sold out");
      restock(app);
      assertThat(orders.buy("eve")).isEqualTo("sold");
      assertThat(app.getBean(CacheManager.class)).isInstanceOf(SluiceCacheManager.class);
      assertThat(app.containsBean("sluiceReleasingLocksEndpoint")).isTrue();
    }
  }

  private static void restock(ConfigurableApplicationContext app) {
    app.getBean(ScheduledTaskHolder.class)
        .getScheduledTasks()
        .iterator()
        .next()
        .getTask()
        .getRunnable()
        .run();
  }

  /** The bean of the document, whose class is in a loader of its own. */
  private record Orders(Object bean) {
    Object buy(String buyer) throws Throwable {
      return invoke(
          new Class<?>[] {String.class, String.class, FencingToken.class},
          "buy",
          buyer,
          "tea",
          null);
    }

    Object call(String method, String product) throws Throwable {
      return invoke(new Class<?>[] {String.class}, method, product);
    }

    private Object invoke(Class<?>[] types, String name, Object... arguments) throws Throwable {
      Method method = ReflectionUtils.findMethod(bean.getClass(), name, types);
      ReflectionUtils.makeAccessible(method);
      try {
        return method.invoke(bean, arguments);
      } catch (InvocationTargetException e) {
        throw e.getTargetException();
      }
    }
  }
}
