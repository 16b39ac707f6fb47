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
 * Moves or holds the wall clock of a process that is started with it, and leaves its monotonic
 * clock alone. Needs a C compiler, since what stands between a process and its clock is compiled on
 * the spot.
 *
 * <p>Safe for use by several threads, one after the other.
 */
public final class ClockShim implements AutoCloseable {
  private final Path folder;
  private final Path library;
  private final Path setting;
  private long ahead;
  private long held; // microseconds since the epoch, 0 while the clock runs

  private ClockShim(Path folder, Path library, Path setting) {
    this.folder = folder;
    this.library = library;
    this.setting = setting;
  }

  /** Compiled once for this JVM, and deleted at its end. */
  private static final class Compiled {
    static final Optional<ClockShim> SHIM = isLinux() ? compile() : Optional.empty();

    private static boolean isLinux() {
      return System.getProperty("os.name").equals("Linux");
    }
  }

  /**
   * A clock for a server, compiled once for this JVM. It is not to be closed.
   *
   * @return a clock that is right so far, or empty where there is no C compiler
   */
  public static Optional<ClockShim> any() {
    return Compiled.SHIM.map(ClockShim::another);
  }

  /**
   * Compiles it.
   *
   * @return a clock that is right so far, or empty where there is no C compiler
   */
  public static Optional<ClockShim> compile() {
    try {
      Path folder = Files.createTempDirectory("sluice-clock");
      TemporaryFolders.deleteAtExit(folder);
      // as root the server runs under another user
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
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
      return Optional.of(new ClockShim(folder, library, newSetting(folder)));
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /**
   * A separate clock for another process, without compiling again.
   *
   * @return a clock that is right so far
   */
  public ClockShim another() {
    try {
      return new ClockShim(folder, library, newSetting(folder));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path newSetting(Path folder) throws IOException {
    Path file = Files.createTempFile(folder, "setting", null);
    Files.write(file, new byte[2 * Long.BYTES]);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
  }

  /** {@return what a process needs in its environment to live by this clock} */
  public Map<String, String> environment() {
    return Map.of("LD_PRELOAD", library.toString(), "CLOCK_SHIFT", setting.toString());
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
              .formatted(library, setting, binary.path()));
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
   * Sets the clock immediately, in the running process. A clock that was held runs again.
   *
   * @param to how far ahead of the right time; whole microseconds, negative for behind
   */
  public synchronized void set(Duration to) {
    ahead = to.toNanos() / 1000;
    held = 0;
    write();
  }

  /**
   * Holds the clock where it is put. It stands there until it is put elsewhere, or set.
   *
   * @param micros microseconds since the epoch, above 0
   */
  public synchronized void hold(long micros) {
    held = micros;
    write();
  }

  private void write() {
    ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.nativeOrder());
    // in place: the process has the file mapped
    try (var file = FileChannel.open(setting, StandardOpenOption.WRITE)) {
      file.write(bytes.putLong(ahead).putLong(held).flip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes what was compiled. Processes that have it loaded go on at the time they have. */
  @Override
  public void close() {
    TemporaryFolders.delete(folder);
  }
}
