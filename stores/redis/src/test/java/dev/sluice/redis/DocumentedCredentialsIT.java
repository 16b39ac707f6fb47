package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.SourceTree;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The block of docs/security.md about credentials runs on a Redis whose password changes. */
class DocumentedCredentialsIT {
  private static final DocumentBlocks BLOCKS =
      new DocumentBlocks(
          "String url, Supplier<String> password",
          "dev.sluice.redis.*",
          "io.lettuce.core.RedisCredentials",
          "io.lettuce.core.RedisCredentialsProvider",
          "io.lettuce.core.RedisURI",
          "java.util.function.Supplier");

  @TempDir Path classes;

  @ParameterizedTest
  @ValueSource(strings = {"docs/security.md", "docs/zh/security.md"})
  void theBlockUsesThePasswordOfTheMoment(String page) throws Exception {
    List<DocumentBlocks.Block> blocks = DocumentBlocks.of(SourceTree.path(page), "redis");
    assertThat(blocks).hasSize(1);
    AtomicReference<String> current = new AtomicReference<>("old-secret");
    Supplier<String> password = current::get;
    try (RedisServer server = RedisServer.start()) {
      server.call("ACL", "SETUSER", "app", "on", ">old-secret", "~*", "&*", "+@all");
      BLOCKS.run(blocks.get(0), classes, server.uri(), password);
      server.call("ACL", "SETUSER", "app", ">new-secret", "<old-secret");
      assertThatThrownBy(() -> BLOCKS.run(blocks.get(0), classes, server.uri(), password))
          .hasCauseInstanceOf(BackendException.class);
      current.set("new-secret");
      BLOCKS.run(blocks.get(0), classes, server.uri(), password);
    }
  }
}
