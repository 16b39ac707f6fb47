package dev.sluice.integration;

import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.SourceTree;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the beans that docs/frameworks.md shows for Spring Integration. */
class DocumentedRegistryTest {
  private static final DocumentBlocks BLOCKS =
      new DocumentBlocks(
          "", "dev.sluice.integration.*", "org.springframework.context.annotation.Bean");

  @TempDir Path classes;

  @TestFactory
  Stream<DynamicTest> everyBlockCompiles() {
    return DocumentBlocks.of(SourceTree.path("docs/frameworks.md"), "integration").stream()
        .map(
            block ->
                DynamicTest.dynamicTest(
                    block.toString(), () -> BLOCKS.compileMembers(block, classes)));
  }
}
