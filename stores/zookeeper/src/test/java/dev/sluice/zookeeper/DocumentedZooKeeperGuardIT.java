package dev.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.SourceTree;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The blocks of docs/fencing.md that need ZooKeeper run on one. */
class DocumentedZooKeeperGuardIT {
  private static final DocumentBlocks BLOCKS =
      new DocumentBlocks(
          "Sluice sluice, CuratorFramework curator",
          "dev.sluice.zookeeper.*",
          "org.apache.curator.framework.CuratorFramework",
          "org.apache.zookeeper.Op");

  @TempDir Path classes;

  @TestFactory
  Stream<DynamicTest> everyBlockRuns() {
    return DocumentBlocks.of(SourceTree.path("docs/fencing.md"), "zookeeper").stream()
        .map(block -> DynamicTest.dynamicTest(block.toString(), () -> run(block)));
  }

  private void run(DocumentBlocks.Block block) throws Exception {
    CuratorFramework curator = SharedServers.hand();
    curator.create().creatingParentsIfNeeded().forPath("/shop/orders", new byte[] {'4', '1'});
    try (Sluice sluice = Sluice.connect("zookeeper://" + SharedServers.servers() + "/shop")) {
      BLOCKS.run(block, classes, sluice, curator);
      assertThat(curator.getData().forPath("/shop/orders")).asString().isEqualTo("42");
    } finally {
      curator.delete().forPath("/shop/orders");
    }
  }
}
