package dev.sluice.console;

import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.SourceTree;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The blocks of docs/console.md compile; they are not run, for one names a port. */
class DocumentedConsoleTest {
  private static final DocumentBlocks BLOCKS =
      new DocumentBlocks("Sluice sluice", "dev.sluice.console.*", "dev.sluice.console.http.*");

  @TempDir Path classes;

  @TestFactory
  Stream<DynamicTest> everyBlockCompiles() {
    return DocumentBlocks.of(SourceTree.path("docs/console.md"), "console").stream()
        .map(
            block ->
                DynamicTest.dynamicTest(block.toString(), () -> BLOCKS.compile(block, classes)));
  }
}
