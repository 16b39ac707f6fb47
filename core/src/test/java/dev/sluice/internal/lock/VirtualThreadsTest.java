package dev.sluice.internal.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Virtual threads make way for each other: nobody spins on a carrier that another one needs. */
class VirtualThreadsTest {
  private static final long MAX_MINUTES = 8;

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
                VirtualCrowd.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(crowd.waitFor(MAX_MINUTES, TimeUnit.MINUTES)).as("it ends").isTrue();
      assertThat(Files.readString(output)).endsWith("done\n");
    } finally {
      crowd.destroyForcibly().waitFor();
    }
  }
}
