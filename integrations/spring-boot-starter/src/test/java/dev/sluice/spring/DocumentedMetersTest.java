package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.SourceTree;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The blocks of docs/monitoring.md that bind meters. */
class DocumentedMetersTest {
  private static final DocumentBlocks BLOCKS =
      new DocumentBlocks(
          "Sluice sluice, MeterRegistry registry",
          "dev.sluice.bloom.Funnel",
          "dev.sluice.limit.*",
          "dev.sluice.micrometer.*",
          "io.micrometer.core.instrument.MeterRegistry");

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"docs/monitoring.md", "docs/zh/monitoring.md"})
  void bindTheMetersOfTheTablesBelow(String page) throws Exception {
    MeterRegistry registry = new SimpleMeterRegistry();
    try (Sluice sluice = Sluice.connect("memory:")) {
      for (DocumentBlocks.Block block : DocumentBlocks.of(SourceTree.path(page), "meters")) {
        BLOCKS.run(block, folder, sluice, registry);
      }
      assertThat(registry.getMeters())
          .extracting(meter -> meter.getId().getName())
          .contains("sluice.limiter.decisions", "sluice.limiter.policy.version")
          .contains("sluice.inventory.units", "sluice.bloom.fill");
    }
  }
}
