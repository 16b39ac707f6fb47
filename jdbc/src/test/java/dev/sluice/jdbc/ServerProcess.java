package dev.sluice.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A database server as a child of this JVM, in a temporary folder; it ends with this JVM, also when
 * the JVM is killed. A server that refuses to run as root gets another user.
 */
final class ServerProcess implements AutoCloseable {
  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

  final Path folder;
  final int port;
  private final String stopSignal;
  private final List<String> asUser;
  private Process server;
  private Process watchdog;

  private ServerProcess(Path folder, List<String> asUser, String stopSignal) {
    this.folder = folder;
    this.stopSignal = stopSignal;
    this.asUser = asUser;
    this.port = freePort();
  }

  /** Where a program is: on the path, or in one of the other folders. */
  static Optional<Path> find(String program, String... otherFolders) {
    Stream<String> onPath = Arrays.stream(System.getenv("PATH").split(":"));
    return Stream.concat(onPath, Arrays.stream(otherFolders))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** A folder for a server of the same user, or, where we are root, of another one. */
  static ServerProcess inFolderOf(String user, String stopSignal) {
    try {
      Path folder = Files.createTempDirectory("sluice-jdbc");
      if (!ROOT) {
        return new ServerProcess(folder, List.of(), stopSignal);
      }
      int known = new ProcessBuilder("id", user).redirectErrorStream(true).start().waitFor();
      String owner = known == 0 ? user : "nobody";
      run(folder, List.of("chown", owner, folder.toString()));
      return new ServerProcess(
          folder,
          owner.equals("root") ? List.of() : List.of("runuser", "-u", owner, "--"),
          stopSignal);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a program to its end, as the server's user. */
  void prepare(String... command) {
    run(folder, command(command));
  }

  private List<String> command(String... command) {
    List<String> words = new ArrayList<>(asUser);
    words.addAll(List.of(command));
    return words;
  }

  private static void run(Path folder, List<String> command) {
    try {
      Path log = folder.resolveSibling(folder.getFileName() + ".log");
      Process process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      if (!process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IllegalStateException(command + " failed:\n" + Files.readString(log));
      }
      Files.delete(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Starts the server and waits until it lets somebody in. */
  void start(String url, String user, String... command) {
    Path log = folder.resolve("server.log");
    try {
      server =
          new ProcessBuilder(command(command))
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      // holds the other end of a pipe from this JVM: when the JVM is gone, the pipe ends
      watchdog =
          new ProcessBuilder("sh", "-c", "read _; kill -9 " + server.pid())
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      long deadline = System.nanoTime() + LONGEST.toNanos();
      while (true) {
        try (Connection connection = DriverManager.getConnection(url, user, "")) {
          return;
        } catch (SQLException e) {
          if (!server.isAlive() || System.nanoTime() - deadline > 0) {
            throw new IllegalStateException(
                command[0] + " did not start:\n" + Files.readString(log), e);
          }
          TimeUnit.MILLISECONDS.sleep(20);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Ends the server as its user would; it may be started again. */
  void stop() {
    watchdog.destroyForcibly();
    stop(server);
  }

  /** PostgreSQL gives its shared memory back when it is interrupted, not when it is killed. */
  private void stop(Process running) {
    try {
      // what changes the user is the server's parent, and keeps the signal for itself
      ProcessHandle program = running.toHandle();
      if (!asUser.isEmpty()) {
        program = running.children().findFirst().orElse(program);
      }
      new ProcessBuilder("kill", "-s", stopSignal, "" + program.pid()).start().waitFor();
      if (!running.waitFor(10, TimeUnit.SECONDS)) {
        running.destroyForcibly().waitFor();
      }
    } catch (IOException e) {
      running.destroyForcibly();
    } catch (InterruptedException e) {
      running.destroyForcibly();
      throw interrupted(e);
    }
  }

  private static IllegalStateException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("interrupted", e);
  }

  @Override
  public void close() {
    if (watchdog != null) {
      watchdog.destroyForcibly(); // first, so that it never kills a stranger with the same number
    }
    if (server != null) {
      stop(server);
    }
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
