package dev.sluice.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Virtual threads that read and load make way for each other, as those that wait for locks do. */
class VirtualThreadsOfCacheTest {
  private static final long LONGEST_MINUTES = 8;

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aCrowdOnFewCarriersEnds(int carriers, @TempDir Path folder) throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads: JDK 21 or newer");
    Path output = folder.resolve("output");
    Process crowd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djdk.virtualThreadScheduler.parallelism=" + carriers,
                "-Djdk.virtualThreadScheduler.maxPoolSize=" + carriers,
                "-cp",
                System.getProperty("java.class.path"),
                CacheCrowd.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(crowd.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)).as("it ends").isTrue();
      assertThat(Files.readString(output)).endsWith("done\n");
    } finally {
      crowd.destroyForcibly().waitFor();
    }
  }
}
