package dev.sluice.jdbc;

import dev.sluice.Sluice;
import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.SourceTree;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The blocks of docs/sql.md run. */
class DocumentedBackendIT {
  private static final DocumentBlocks BLOCKS =
      new DocumentBlocks(
          "Sluice sluice, DataSource database", "dev.sluice.jdbc.*", "javax.sql.DataSource");

  @TempDir Path classes;

  @TestFactory
  Stream<DynamicTest> everyBlockRuns() {
    return DocumentBlocks.of(SourceTree.path("docs/sql.md"), "jdbc").stream()
        .map(block -> DynamicTest.dynamicTest(block.toString(), () -> run(block)));
  }

  private void run(DocumentBlocks.Block block) throws Exception {
    try (Database database = Databases.empty(Dialect.H2);
        Sluice sluice = Sluice.connect("memory:")) {
      BLOCKS.run(block, classes, sluice, database.source());
    }
  }
}
