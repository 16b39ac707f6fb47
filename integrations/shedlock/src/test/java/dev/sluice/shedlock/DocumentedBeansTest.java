package dev.sluice.shedlock;

import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.SourceTree;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** What docs/frameworks.md shows about ShedLock compiles. */
public class DocumentedBeansTest {
  private static final DocumentBlocks BLOCKS =
      new DocumentBlocks(
          "dev.sluice.shedlock.DocumentedBeansTest.Reports reports",
          "dev.sluice.shedlock.*",
          "net.javacrumbs.shedlock.core.*",
          "net.javacrumbs.shedlock.spring.annotation.*",
          "org.springframework.context.annotation.Bean",
          "org.springframework.scheduling.annotation.Scheduled");

  @TempDir Path classes;

  /** What a task of the document writes to. */
  public interface Reports {
    void write(long token);
  }

  @TestFactory
  Stream<DynamicTest> everyBlockCompiles() {
    return DocumentBlocks.of(SourceTree.path("docs/frameworks.md"), "shedlock").stream()
        .map(
            block ->
                DynamicTest.dynamicTest(
                    block.toString(), () -> BLOCKS.compileMembers(block, classes)));
  }
}
