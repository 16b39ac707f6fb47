package dev.sluice.jdbc;

import dev.sluice.Sluice;
import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.SourceTree;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The blocks of docs/fencing.md that need a database run on one. */
class DocumentedJdbcGuardIT {
  private static final DocumentBlocks BLOCKS =
      new DocumentBlocks(
          "Sluice sluice, DataSource database",
          "dev.sluice.jdbc.*",
          "java.sql.*",
          "javax.sql.DataSource");

  @TempDir Path classes;

  @TestFactory
  Stream<DynamicTest> everyBlockRuns() {
    return DocumentBlocks.of(SourceTree.path("docs/fencing.md"), "jdbc").stream()
        .map(block -> DynamicTest.dynamicTest(block.toString(), () -> run(block)));
  }

  private void run(DocumentBlocks.Block block) throws Exception {
    try (Database database = Databases.empty(Dialect.H2);
        Sluice sluice = Sluice.connect("memory:")) {
      database.execute(
          "CREATE TABLE account (id BIGINT PRIMARY KEY, balance BIGINT)",
          "INSERT INTO account VALUES (7, 100)",
          "CREATE TABLE orders (id BIGINT PRIMARY KEY, state VARCHAR(20), fence BIGINT)",
          "INSERT INTO orders VALUES (42, 'new', NULL)");
      BLOCKS.run(block, classes, sluice, database.source());
    }
  }
}
