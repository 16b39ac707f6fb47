package dev.sluice.servers;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Moves the wall clock of a process that is started with it, and leaves its monotonic clock alone.
 * Needs a C compiler, since what stands between a process and its clock is compiled on the spot.
 *
 * <p>Safe for use by several threads, one after the other.
 */
public final class ClockShim implements AutoCloseable {
  private final Path folder;
  private final Path library;
  private final Path shift;
  private long ahead;

  private ClockShim(Path folder, Path library, Path shift) {
    this.folder = folder;
    this.library = library;
    this.shift = shift;
  }

  /**
   * Compiles it.
   *
   * @return a clock that is right so far, or empty where there is no C compiler
   */
  public static Optional<ClockShim> compile() {
    try {
      Path folder = Files.createTempDirectory("sluice-clock");
      Folders.deleteAtExit(folder);
      Path source = folder.resolve("clock.c");
      try (InputStream text = ClockShim.class.getResourceAsStream("clock.c")) {
        Files.copy(requireNonNull(text, "clock.c"), source);
      }
      Path library = folder.resolve("clock.so");
      Process compiler =
          new ProcessBuilder(
                  "cc", "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString())
              .inheritIO()
              .start();
      if (compiler.waitFor() != 0) {
        return Optional.empty();
      }
      Path shift = folder.resolve("shift");
      Files.write(shift, new byte[Long.BYTES]);
      return Optional.of(new ClockShim(folder, library, shift));
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /**
   * A clock of its own for another process, without compiling again.
   *
   * @return a clock that is right so far
   */
  public ClockShim another() {
    try {
      Path other = Files.createTempFile(folder, "shift", null);
      Files.write(other, new byte[Long.BYTES]);
      return new ClockShim(folder, library, other);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@return what a process needs in its environment to live by this clock} */
  public Map<String, String> environment() {
    return Map.of("LD_PRELOAD", library.toString(), "CLOCK_SHIFT", shift.toString());
  }

  /**
   * A program that lives by this clock.
   *
   * @param binary the program
   * @return the same, started through a script
   */
  public RedisBinary wrap(RedisBinary binary) {
    try {
      Path script = Files.createTempFile(folder, "redis-server", null);
      Files.writeString(
          script,
          "#!/bin/sh\nexport LD_PRELOAD='%s' CLOCK_SHIFT='%s'\nexec '%s' \"$@\"\n"
              .formatted(library, shift, binary.path()));
      Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
      return new RedisBinary(script, binary.name(), binary.version());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@return by how much the clock is ahead of the right time} */
  public synchronized Duration ahead() {
    return Duration.ofNanos(ahead * 1000);
  }

  /**
   * Sets the clock, at once and in the running process.
   *
   * @param to how far ahead of the right time; whole microseconds, negative for behind
   */
  public synchronized void set(Duration to) {
    ahead = to.toNanos() / 1000;
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    // in place: the process has the file mapped
    try (var file = FileChannel.open(shift, StandardOpenOption.WRITE)) {
      file.write(bytes.putLong(ahead).flip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes what was compiled. Processes that have it loaded go on at the time they have. */
  @Override
  public void close() {
    Folders.delete(folder);
  }
}
