package dev.sluice.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server of any kind as a child of this JVM, on a free port of the loopback interface, with a
 * temporary folder. It ends with {@link #close()}, with this JVM, and also when this JVM is killed.
 * A server that refuses to run as root gets another user.
 *
 * <p>Not safe for use by several threads at once, except {@link #close()}.
 */
public final class ServerProcess implements AutoCloseable {
  private static final Duration LONGEST_START = Duration.ofSeconds(60);
  private static final Duration LONGEST_STOP = Duration.ofSeconds(10);
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

  private final Path folder;
  private final int port;
  private final List<String> asUser;
  private final String stopSignal;
  private final Thread atExit = new Thread(this::endAndDelete, "sluice-server-end");
  private volatile @Nullable Process server;
  private volatile @Nullable Watchdog watchdog;

  /** Whether a server that was started answers by now. */
  @FunctionalInterface
  public interface Probe {
    /**
     * Asks it something.
     *
     * @throws Exception if it does not answer yet
     */
    void ask() throws Exception;
  }

  private ServerProcess(Path folder, List<String> asUser, String stopSignal) {
    this.folder = folder;
    this.asUser = asUser;
    this.stopSignal = stopSignal;
    this.port = freePort();
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * Finds a program: on the {@code PATH}, or in one of the other folders.
   *
   * @param program its file name
   * @param otherFolders where it may be as well
   * @return where it is
   */
  public static Optional<Path> find(String program, String... otherFolders) {
    Stream<String> onPath = Arrays.stream(System.getenv("PATH").split(":"));
    return Stream.concat(onPath, Arrays.stream(otherFolders))
        .map(each -> Path.of(each, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * A folder and a port for a server that runs as whoever we are.
   *
   * @return a server to {@link #start}
   */
  public static ServerProcess ofOurUser() {
    return new ServerProcess(newFolder(), List.of(), "TERM");
  }

  /**
   * A folder and a port for a server that never runs as root.
   *
   * @param user who runs it where we are root; where there is no such user, {@code nobody}
   * @param stopSignal name of the signal that ends it in good order, such as {@code INT}
   * @return a server to {@link #start}
   */
  public static ServerProcess of(String user, String stopSignal) {
    Path folder = newFolder();
    if (!ROOT) {
      return new ServerProcess(folder, List.of(), stopSignal);
    }
    String owner = run(folder, List.of("id", user)).well() ? user : "nobody";
    String group = succeed(folder, List.of("id", "-gn", owner)).strip();
    succeed(folder, List.of("chown", owner + ":" + group, folder.toString()));
    // not runuser, which stays between us and the server: a signal would end it and not the server
    List<String> asOwner =
        List.of("setpriv", "--reuid=" + owner, "--regid=" + group, "--init-groups", "--");
    return new ServerProcess(folder, asOwner, stopSignal);
  }

  private static Path newFolder() {
    try {
      return Files.createTempDirectory("sluice-server");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@return its folder, which its user owns} */
  public Path folder() {
    return folder;
  }

  /** {@return the port to use, on 127.0.0.1} */
  public int port() {
    return port;
  }

  /**
   * Runs a program to its end, as the server's user.
   *
   * @param command program and arguments
   * @throws IllegalStateException if it fails; the message has what it printed
   */
  public void prepare(String... command) {
    succeed(folder, as(command));
  }

  private List<String> as(String... command) {
    List<String> words = new ArrayList<>(asUser);
    words.addAll(List.of(command));
    return words;
  }

  private record Ended(boolean well, String printed) {}

  private static String succeed(Path folder, List<String> command) {
    Ended ended = run(folder, command);
    if (!ended.well()) {
      throw new IllegalStateException(command + " failed:\n" + ended.printed());
    }
    return ended.printed();
  }

  private static Ended run(Path folder, List<String> command) {
    try {
      Path log = Files.createTempFile("sluice-server", ".log");
      Process process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      boolean inTime = process.waitFor(LONGEST_START.toSeconds(), TimeUnit.SECONDS);
      int code = process.destroyForcibly().waitFor();
      String printed = Files.readString(log);
      Files.delete(log);
      return new Ended(inTime && code == 0, printed);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /**
   * Starts the server and waits until it answers.
   *
   * @param probe asked again and again
   * @param command program and arguments
   * @throws IllegalStateException if it ends or does not answer within a minute; the message has
   *     what it printed
   */
  public void start(Probe probe, String... command) {
    Path log = folder.resolve("server.log");
    try {
      Process started =
          new ProcessBuilder(as(command))
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      server = started;
      watchdog = Watchdog.of(started);
      long deadline = System.nanoTime() + LONGEST_START.toNanos();
      while (true) {
        try {
          probe.ask();
          return;
        } catch (InterruptedException e) {
          throw e;
        } catch (Exception e) {
          if (!started.isAlive() || System.nanoTime() - deadline > 0) {
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

  /** {@return CPU time that the server and its living children have used; 0 if nobody counts it} */
  public double cpuSeconds() {
    Process running = server;
    if (running == null) {
      return 0;
    }
    return Stream.concat(Stream.of(running.toHandle()), running.descendants())
        .map(process -> process.info().totalCpuDuration().orElse(Duration.ZERO))
        .mapToDouble(time -> time.toNanos() / 1e9)
        .sum();
  }

  /** PostgreSQL gives its shared memory back when it is asked to end, not when it is killed. */
  private synchronized void end() {
    Watchdog guard = watchdog;
    watchdog = null;
    if (guard != null) {
      guard.close(); // first, so that it never kills a stranger with the same number
    }
    Process running = server;
    server = null;
    if (running == null) {
      return;
    }
    try {
      Watchdog.signal(running, "-" + stopSignal);
      if (!running.waitFor(LONGEST_STOP.toSeconds(), TimeUnit.SECONDS)) {
        running.destroyForcibly().waitFor();
      }
    } catch (IllegalStateException e) {
      running.destroyForcibly(); // it has ended by itself
    } catch (InterruptedException e) {
      running.destroyForcibly();
      throw interrupted(e);
    }
  }

  private static IllegalStateException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("interrupted", e);
  }

  private void endAndDelete() {
    end();
    Folders.delete(folder);
  }

  /** Ends the server and deletes the folder. Idempotent. */
  @Override
  public void close() {
    endAndDelete();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      return; // the JVM is going down and runs the hook itself
    }
  }
}
