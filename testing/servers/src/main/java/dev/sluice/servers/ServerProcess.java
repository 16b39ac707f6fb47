package dev.sluice.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server as a child of this JVM, in a temporary folder, on a free port of the loopback interface;
 * it ends with this JVM, also when the JVM is killed. A server that refuses to run as root gets
 * another user.
 *
 * <p>Not thread-safe.
 */
public final class ServerProcess implements AutoCloseable {
  private static final Duration MAX_DURATION = Duration.ofSeconds(180);
  private static final Duration MAX_STOP = Duration.ofSeconds(10);
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

  /** Kills a process and its children, also those that are stopped. */
  private static final String KILL_FAMILY =
      "read _; kill -9 $(cat /proc/$0/task/*/children 2>/dev/null) $0";

  private final Path folder;
  private final int port;
  private final List<String> asUser;
  private final String stopSignal;
  private @Nullable Process server;
  private @Nullable Process watchdog;

  /** A check whether a started server answers. */
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
  }

  /**
   * Looks for a program on the PATH.
   *
   * @param program its name
   * @return its place, empty if it is not there
   */
  public static Optional<Path> find(String program) {
    return Arrays.stream(System.getenv("PATH").split(":"))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** {@return a server that runs as the current user, to be started} */
  public static ServerProcess ofOurUser() {
    return inFolderOf("root", "TERM");
  }

  /**
   * Creates a folder for a server that runs as the same user, or, as root, as another one.
   *
   * @param user the server's user if this process is root; the system's user without rights if
   *     there is no such user
   * @param stopSignal what ends it in good order
   * @return a server to be prepared and started
   */
  public static ServerProcess inFolderOf(String user, String stopSignal) {
    try {
      Path folder = Files.createTempDirectory("sluice-server");
      if (!ROOT || user.equals("root")) {
        return new ServerProcess(folder, List.of(), stopSignal);
      }
      int known = new ProcessBuilder("id", user).redirectErrorStream(true).start().waitFor();
      String owner = known == 0 ? user : "nobody";
      String group = output("id", "-g", owner);
      run(folder, List.of("chown", owner, folder.toString()));
      // takes its place, so that signals reach the server itself; runuser stays in between
      return new ServerProcess(
          folder,
          List.of("setpriv", "--reuid=" + owner, "--regid=" + group, "--init-groups"),
          stopSignal);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static String output(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException(List.of(command) + " ended with " + process.exitValue());
    }
    return text.strip();
  }

  /** {@return a port of the loopback interface that was free a moment ago} */
  public static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@return its own, which goes away with it} */
  public Path folder() {
    return folder;
  }

  /** {@return where it is to listen} */
  public int port() {
    return port;
  }

  /**
   * Runs a program to its end, as the server's user.
   *
   * @param command the program and its arguments
   */
  public void prepare(String... command) {
    run(folder, command(List.of(command)));
  }

  private List<String> command(List<String> command) {
    List<String> words = new ArrayList<>(asUser);
    words.addAll(command);
    return words;
  }

  static void run(Path folder, List<String> command) {
    try {
      Path log = folder.resolveSibling(folder.getFileName() + ".log");
      Process process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      if (!process.waitFor(MAX_DURATION.toSeconds(), TimeUnit.SECONDS)
          || process.exitValue() != 0) {
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

  /**
   * Starts the server and waits until it accepts connections. Can be called again after {@link
   * #stop}.
   *
   * @param letsIn called repeatedly
   * @param environment more of it
   * @param command the program and its arguments
   */
  public void start(BooleanSupplier letsIn, Map<String, String> environment, List<String> command) {
    Path log = folder.resolve("server.log");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command(command))
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
      builder.environment().putAll(environment);
      Process started = builder.start();
      server = started;
      // holds the other end of a pipe from this JVM: when the JVM ends, the pipe ends
      watchdog =
          new ProcessBuilder("sh", "-c", KILL_FAMILY, "" + started.pid())
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      long deadline = System.nanoTime() + MAX_DURATION.toNanos();
      while (!letsIn.getAsBoolean()) {
        if (!started.isAlive() || System.nanoTime() - deadline > 0) {
          throw new IllegalStateException(
              command.get(0) + " did not start:\n" + Files.readString(log));
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
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
   * @param command the program and its arguments
   */
  public void start(Probe probe, String... command) {
    start(
        () -> {
          try {
            probe.ask();
            return true;
          } catch (Exception e) {
            return false;
          }
        },
        Map.of(),
        List.of(command));
  }

  /**
   * {@return CPU time that the server and its living children have used; 0 if it is not counted}
   */
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

  /** Stops the process and its children where they are, until {@link #resume}. */
  public void pause() {
    Process running = server;
    if (running != null) {
      signal("STOP", running.pid()); // first, so that it makes no more children
      running.children().forEach(child -> signal("STOP", child.pid()));
    }
  }

  /** Lets them go on. */
  public void resume() {
    Process running = server;
    if (running != null) {
      running.children().forEach(child -> signal("CONT", child.pid()));
      signal("CONT", running.pid());
    }
  }

  /** A child may be gone by now, which is no failure. */
  private static void signal(String which, long pid) {
    try {
      new ProcessBuilder("kill", "-s", which, "" + pid)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /**
   * Ends the server and waits for its end. Does nothing if it is not running.
   *
   * @param signal what asks it to end; it is killed if it takes long
   */
  public void stop(String signal) {
    Process dog = watchdog;
    if (dog != null) {
      dog.destroyForcibly(); // first, so that it never kills a stranger with the same number
      watchdog = null;
    }
    Process running = server;
    if (running == null) {
      return;
    }
    try {
      resume();
      signal(signal, running.pid());
      if (!running.waitFor(MAX_STOP.toSeconds(), TimeUnit.SECONDS)) {
        running.destroyForcibly().waitFor();
      }
      server = null;
    } catch (InterruptedException e) {
      running.destroyForcibly();
      throw interrupted(e);
    }
  }

  private static IllegalStateException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("interrupted", e);
  }

  /** Ends the server in good order and deletes its folder. Idempotent. */
  @Override
  public void close() {
    stop(stopSignal);
    TemporaryFolders.delete(folder);
  }
}
