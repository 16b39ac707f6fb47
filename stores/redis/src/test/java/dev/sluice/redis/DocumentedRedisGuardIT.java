package dev.sluice.redis;

import dev.sluice.Sluice;
import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.SourceTree;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The blocks of docs/fencing.md that need Redis run on one. */
class DocumentedRedisGuardIT {
  private static final DocumentBlocks BLOCKS =
      new DocumentBlocks(
          "Sluice sluice, StatefulRedisConnection<String, String> connection",
          "dev.sluice.redis.*",
          "io.lettuce.core.ScriptOutputType",
          "io.lettuce.core.api.StatefulRedisConnection");

  @TempDir Path classes;

  @TestFactory
  Stream<DynamicTest> everyBlockRuns() {
    return DocumentBlocks.of(SourceTree.path("docs/fencing.md"), "redis").stream()
        .map(block -> DynamicTest.dynamicTest(block.toString(), () -> run(block)));
  }

  private void run(DocumentBlocks.Block block) throws Exception {
    try (RedisServer server = RedisServer.start();
        Sluice sluice = Sluice.connect(server.uri())) {
      RedisClient client = RedisClient.create(server.uri());
      try (StatefulRedisConnection<String, String> connection = client.connect()) {
        BLOCKS.run(block, classes, sluice, connection);
      } finally {
        client.shutdown();
      }
    }
  }
}
