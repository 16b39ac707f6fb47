package dev.sluice.verification.torture;

import dev.sluice.servers.ClockShim;
import dev.sluice.servers.JavaCommand;
import dev.sluice.servers.Watchdog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The desk's side of one client process. */
final class ClientProcess implements AutoCloseable {
  final String id;
  final int workers;
  private final Process process;
  private final Watchdog watchdog;
  private final @Nullable ClockShim clock;
  private volatile @Nullable Socket line;
  private volatile @Nullable Writer out;
  private volatile boolean gone;
  private volatile boolean paused;

  /**
   * Starts it.
   *
   * @param id short, for the history
   * @param clock to be moved, or null
   * @param workers how many callers it has
   * @param scratch what it unpacks there and leaves behind when it is killed goes away with the run
   * @param arguments of {@link ClientMain}
   */
  ClientProcess(
      String id, @Nullable ClockShim clock, int workers, Path scratch, List<String> arguments) {
    this.id = id;
    this.clock = clock;
    this.workers = workers;
    List<String> command =
        JavaCommand.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-Xshare:auto");
    command.add("-Djava.io.tmpdir=" + scratch);
    command.addAll(List.of("-cp", classPath(), ClientMain.class.getName()));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    if (clock != null) {
      builder.environment().putAll(clock.environment());
    }
    try {
      this.process = builder.start();
      this.watchdog = Watchdog.of(process);
    } catch (IOException e) {
      throw new IllegalStateException("no client process could be started", e);
    }
  }

  /** {@return that of this JVM, for others} */
  static String classPath() {
    return System.getProperty(
        "surefire.test.class.path", ManagementFactory.getRuntimeMXBean().getClassPath());
  }

  @Nullable ClockShim clock() {
    return clock;
  }

  /** It has called the desk. */
  BufferedReader connected(Socket socket) throws IOException {
    line = socket;
    out = new java.io.OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8);
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  boolean isConnected() {
    return out != null;
  }

  /** Sends it a line; does nothing if the process has ended. */
  void send(String text) {
    Writer writer = out;
    if (writer == null) {
      return;
    }
    synchronized (this) {
      try {
        writer.write(text + "\n");
        writer.flush();
      } catch (IOException e) {
        gone = true;
      }
    }
  }

  /** It was not ended, and as far as is known it lives. */
  boolean isUp() {
    return !gone;
  }

  boolean isPaused() {
    return paused;
  }

  void pause() {
    Watchdog.signal(process, "-STOP");
    paused = true;
  }

  void resume() {
    paused = false;
    Watchdog.signal(process, "-CONT");
  }

  void kill() {
    gone = true;
    watchdog.close();
    Watchdog.kill(process);
  }

  /**
   * Waits for its end, and kills it if that takes long.
   *
   * @return nothing if it ended well, or what is wrong
   */
  Optional<String> awaitEnd(long seconds) throws InterruptedException {
    boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
    Optional<String> complaint =
        !ended
            ? Optional.of("did not end when it was told to; its threads: " + threads())
            : process.exitValue() == 0
                ? Optional.empty()
                : Optional.of("ended with " + process.exitValue());
    kill();
    return complaint;
  }

  /** Has the process write down what its threads do. */
  private String threads() throws InterruptedException {
    try {
      Path file = Files.createTempFile("sluice-torture-" + id + "-", ".threads.txt");
      Process asking =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                  Long.toString(process.pid()),
                  "Thread.print")
              .redirectErrorStream(true)
              .redirectOutput(file.toFile())
              .start();
      if (!asking.waitFor(10, TimeUnit.SECONDS)) {
        asking.destroyForcibly();
      }
      return "see " + file;
    } catch (IOException e) {
      return "unknown, " + e.getMessage();
    }
  }

  @Override
  public void close() {
    kill();
    try {
      Socket socket = line;
      if (socket != null) {
        socket.close();
      }
    } catch (IOException e) {
      return; // it is closed already
    }
  }
}
