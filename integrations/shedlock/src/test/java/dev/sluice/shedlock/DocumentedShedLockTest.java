package dev.sluice.shedlock;

import dev.sluice.servers.DocumentBlocks;
import dev.sluice.servers.SourceTree;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the beans that docs/frameworks.md shows for ShedLock. */
public class DocumentedShedLockTest {
  private static final DocumentBlocks BLOCKS =
      new DocumentBlocks(
          "dev.sluice.shedlock.DocumentedShedLockTest.Reports reports",
          "dev.sluice.shedlock.*",
          "net.javacrumbs.shedlock.core.*",
          "net.javacrumbs.shedlock.spring.annotation.*",
          "org.springframework.context.annotation.Bean",
          "org.springframework.scheduling.annotation.Scheduled");

  @TempDir Path classes;

  /** A report that a task of the document writes. */
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
