package dev.sluice.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.guard.Guard;
import dev.sluice.guard.MemoryGuard;
import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.SourceTree;
import dev.sluice.spring.DocumentedSettingsTest;
import dev.sluice.spring.SluiceAutoConfiguration;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.env.PropertySource;

/**
 * The blocks of docs/fencing.md that need Spring compile, and its settings start an application.
 */
class DocumentedFencingTest {
  private static final DocumentBlocks BLOCKS =
      new DocumentBlocks(
          "Sluice sluice",
          "dev.sluice.jdbc.*",
          "dev.sluice.spring.fencing.*",
          "org.springframework.jdbc.core.JdbcTemplate",
          "org.springframework.jdbc.datasource.DataSourceUtils",
          "org.springframework.transaction.annotation.Transactional",
          "org.springframework.web.bind.annotation.*",
          "org.springframework.web.client.RestClient");

  @TempDir Path classes;

  @TestFactory
  Stream<DynamicTest> everyBlockCompiles() {
    return DocumentBlocks.of(SourceTree.path("docs/fencing.md"), "spring").stream()
        .map(
            block ->
                DynamicTest.dynamicTest(block.toString(), () -> BLOCKS.compile(block, classes)));
  }

  @Test
  void theSettingsWork() throws IOException {
    List<PropertySource<?>> blocks = DocumentedSettingsTest.blocks("fencing.md");
    assertThat(blocks).hasSize(1);
    new WebApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(SluiceAutoConfiguration.class, FencingAutoConfiguration.class))
        .withInitializer(
            context -> blocks.forEach(context.getEnvironment().getPropertySources()::addLast))
        .withBean("ledgerGuard", Guard.class, MemoryGuard::create)
        .run(
            context -> {
              assertThat(context).hasNotFailed().hasBean("sluiceFencingFilter");
              FencingProperties settings = context.getBean(FencingProperties.class);
              assertThat(settings.rules()).hasSize(2);
              assertThat(settings.rules().get(1).required())
                  .isEqualTo(FencingProperties.Required.ALWAYS);
            });
  }
}
