package dev.sluice.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.servers.ClockShim;
import dev.sluice.servers.RedisBinary;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A Redis program whose wall clock can be set. Needs a C compiler; without one tests are skipped.
 */
public final class ShiftedClock {
  /** Why tests are skipped without one. */
  public static final String NO_COMPILER =
      "C compiler: cc is not on the PATH (Debian: apt-get install gcc libc6-dev)";

  private final ClockShim shim;
  private final RedisBinary program;

  /** Builds what is put between the server and its clock. */
  public ShiftedClock(RedisBinary binary) {
    Optional<ClockShim> compiled = ClockShim.compile();
    assumeTrue(compiled.isPresent(), NO_COMPILER);
    shim = compiled.get();
    program = shim.wrap(binary);
  }

  public static boolean compiles(Path source, Path library) throws InterruptedException {
    try {
      return new ProcessBuilder(
                  "cc", "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString())
              .inheritIO()
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Its servers share the clock. */
  public RedisBinary program() {
    return program;
  }

  /** Moves the wall clock of running servers to so much ahead of ours. */
  public void set(Duration ahead) {
    shim.set(ahead);
  }
}
