package dev.sluice.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A real {@code redis-server}: a child process on a free port of the loopback interface, with a
 * temporary folder. It ends with {@link #close()}, with this JVM, and also when this JVM is killed.
 *
 * <p>Not thread-safe, except {@link #call}.
 */
public final class RedisServer implements AutoCloseable {
  private static final Duration MAX_START = Duration.ofSeconds(60);
  private static final int PORTS_TO_TRY = 5;
  private static final int BUS = 10_000;
  private static final int HIGHEST_PORT = 65_535;

  private final RedisBinary binary;
  private final RedisBinary program;
  private final List<String> arguments;
  private final @Nullable ClockShim clock;
  private final Path folder;
  private final Thread atExit = new Thread(this::end, "sluice-redis-end");
  private int port;
  private volatile boolean paused;
  private volatile @Nullable Process server;
  private volatile @Nullable Watchdog watchdog;

  private RedisServer(RedisBinary binary, @Nullable ClockShim clock, List<String> arguments) {
    this.binary = binary;
    this.program = clock == null ? binary : clock.wrap(binary);
    this.clock = clock;
    this.arguments = arguments;
    try {
      this.folder = Files.createTempDirectory("sluice-redis");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts a server with the first program that is found.
   *
   * @param arguments more settings, such as {@code "--requirepass", "secret"}
   * @return a server that answers
   */
  public static RedisServer start(String... arguments) {
    return start(RedisBinary.any(), arguments);
  }

  /**
   * Starts a server that keeps its data in memory only, unless the arguments say otherwise.
   *
   * @param binary which program
   * @param arguments more settings
   * @return a server that answers
   */
  public static RedisServer start(RedisBinary binary, String... arguments) {
    return started(new RedisServer(binary, null, List.of(arguments)));
  }

  /**
   * Starts a server whose clock can be moved, where there is a C compiler.
   *
   * @param binary which program
   * @return a server that answers
   */
  public static RedisServer startWithClock(RedisBinary binary) {
    return started(new RedisServer(binary, ClockShim.any().orElse(null), List.of()));
  }

  private static RedisServer started(RedisServer made) {
    Runtime.getRuntime().addShutdownHook(made.atExit);
    try {
      for (int tries = 1; ; tries++) {
        made.port = made.freePort();
        try {
          made.launch();
          return made;
        } catch (IllegalStateException e) {
          boolean taken = String.valueOf(e.getMessage()).contains("Address already in use");
          if (!taken || tries == PORTS_TO_TRY) {
            throw e;
          }
        }
      }
    } catch (RuntimeException e) {
      made.close();
      throw e;
    }
  }

  /** A server of a cluster also takes the port 10,000 above. */
  private int freePort() {
    boolean inCluster = arguments.contains("--cluster-enabled");
    while (true) {
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        int free = socket.getLocalPort();
        if (!inCluster || free <= HIGHEST_PORT - BUS) {
          return free;
        }
        free = free - BUS; // the ports the system gives away are the high ones
        try (ServerSocket lower = new ServerSocket(free, 1, InetAddress.getLoopbackAddress())) {
          return lower.getLocalPort();
        } catch (BindException e) {
          continue;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void launch() {
    List<String> command = new ArrayList<>();
    command.add(program.path().toString());
    if (arguments.contains("--sentinel")) {
      Path config = folder.resolve("sentinel.conf");
      if (!Files.exists(config)) {
        write(config, "");
      }
      command.add(config.toString());
    }
    command.addAll(List.of("--port", "" + port, "--bind", "127.0.0.1", "--dir", folder.toString()));
    if (!arguments.contains("--sentinel")) {
      command.addAll(List.of("--save", "", "--appendonly", "no"));
    }
    command.addAll(arguments);
    Path log = folder.resolve("server.log");
    try {
      Process started =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      server = started;
      watchdog = Watchdog.of(started);
      awaitAnswer(started, log);
    } catch (IOException e) {
      throw new UncheckedIOException(binary + " could not be started", e);
    }
  }

  private void awaitAnswer(Process started, Path log) throws IOException {
    long deadline = System.nanoTime() + MAX_START.toNanos();
    while (!answers()) {
      if (!started.isAlive() || System.nanoTime() - deadline > 0) {
        String text = Files.readString(log);
        end();
        throw new IllegalStateException(binary + " did not start on port " + port + ":\n" + text);
      }
      pause(5);
    }
  }

  private boolean answers() {
    try (RespConnection connection = new RespConnection(port, 1000)) {
      return "PONG".equals(connection.call("PING"));
    } catch (IllegalStateException e) {
      return String.valueOf(e.getMessage()).startsWith("NOAUTH");
    } catch (IOException e) {
      return false;
    }
  }

  private static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a server was starting", e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@return the program that runs} */
  public RedisBinary binary() {
    return binary;
  }

  /** {@return its clock, if that can be moved} */
  public Optional<ClockShim> clock() {
    return Optional.ofNullable(clock);
  }

  /** {@return the port, on 127.0.0.1} */
  public int port() {
    return port;
  }

  /** {@return where servers of a cluster talk to it} */
  int busPort() {
    return port + BUS;
  }

  /** {@return {@code redis://127.0.0.1:port}} */
  public String uri() {
    return "redis://127.0.0.1:" + port;
  }

  /** {@return the folder of its data and its log} */
  public Path folder() {
    return folder;
  }

  /** {@return false while it is killed or paused} */
  public boolean isRunning() {
    return server != null && !paused;
  }

  /** {@return the process} */
  public ProcessHandle process() {
    return running().toHandle();
  }

  /**
   * Sends one command over a separate connection.
   *
   * @param words the command and its arguments
   * @return a String, a Long, a List of such, or null
   * @throws IllegalStateException if the reply is an error; the message is its text
   * @throws UncheckedIOException if there was no reply within 30 s
   */
  public @Nullable Object call(String... words) {
    try (RespConnection connection = new RespConnection(port, 30_000)) {
      return connection.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stops the process where it stands; connections stay open and what is sent piles up. */
  public void pause() {
    signal("-STOP");
    paused = true;
  }

  /** Lets a paused process go on: it carries out all that was sent meanwhile. */
  public void resume() {
    signal("-CONT");
    paused = false;
  }

  private void signal(String which) {
    Watchdog.signal(running(), which);
  }

  /** Ends the process immediately, as a crash does. The port and the folder are kept. */
  public void kill() {
    running();
    end();
  }

  /**
   * Starts a killed server again on the same port, on what its folder has: nothing, unless the
   * arguments asked for an append-only file.
   */
  public void restart() {
    if (server != null) {
      end();
    }
    launch();
  }

  /** As {@link #restart()}, but everything that was stored is lost. */
  public void restartEmpty() {
    if (server != null) {
      end();
    }
    TemporaryFolders.delete(folder);
    try {
      Files.createDirectory(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    launch();
  }

  private Process running() {
    Process process = server;
    if (process == null) {
      throw new IllegalStateException("the server was killed");
    }
    return process;
  }

  private synchronized void end() {
    Watchdog guard = watchdog;
    watchdog = null;
    if (guard != null) {
      guard.close(); // first, so that it never kills a stranger with the same number
    }
    Process process = server;
    server = null;
    paused = false;
    if (process != null) {
      Watchdog.kill(process);
    }
  }

  /** Ends the process and deletes the folder. Idempotent. */
  @Override
  public void close() {
    end();
    TemporaryFolders.delete(folder);
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      return; // the JVM is going down and runs the hook itself
    }
  }

  @Override
  public String toString() {
    return binary + " on port " + port;
  }
}
