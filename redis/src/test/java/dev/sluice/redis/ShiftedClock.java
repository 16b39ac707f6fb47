package dev.sluice.redis;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.testkit.RedisBinary;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

/**
 * A Redis program whose wall clock can be set. Needs a C compiler; without one tests are skipped.
 */
final class ShiftedClock {
  private final RedisBinary program;
  private final Path shift;

  /** Builds what is put between the server and its clock. */
  ShiftedClock(RedisBinary binary, Path folder) throws IOException, InterruptedException {
    Path source = folder.resolve("clock.c");
    try (InputStream text = ShiftedClock.class.getResourceAsStream("clock.c")) {
      Files.copy(requireNonNull(text), source);
    }
    Path library = folder.resolve("clock.so");
    assumeTrue(compiles(source, library), "no C compiler here");
    shift = folder.resolve("shift");
    Files.write(shift, new byte[Long.BYTES]);
    Path wrapped = folder.resolve("redis-server");
    Files.writeString(
        wrapped,
        "#!/bin/sh\nexport LD_PRELOAD='%s' CLOCK_SHIFT='%s'\nexec '%s' \"$@\"\n"
            .formatted(library, shift, binary.path()));
    Files.setPosixFilePermissions(wrapped, PosixFilePermissions.fromString("rwx------"));
    program = new RedisBinary(wrapped, binary.version());
  }

  static boolean compiles(Path source, Path library) throws InterruptedException {
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
  RedisBinary program() {
    return program;
  }

  /** Moves the wall clock of running servers to so much ahead of ours. */
  void set(Duration ahead) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    // in place: the server has the file mapped
    try (var file = FileChannel.open(shift, StandardOpenOption.WRITE)) {
      file.write(bytes.putLong(ahead.toNanos() / 1000).flip());
    }
  }
}
