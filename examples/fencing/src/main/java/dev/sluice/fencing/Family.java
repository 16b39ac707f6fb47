package dev.sluice.fencing;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The processes of a scene. All of them end with {@link #close()}, when this JVM ends, and when it
 * is killed; also one that is stopped, which would wait for ever otherwise.
 */
final class Family implements AutoCloseable {
  /** Reads process ids, line by line, and ends them all when the other end of the pipe closes. */
  private static final String WATCH =
      "trap '' INT TERM HUP; all=; while read -r one; do all=\"$all $one\"; done; kill -9 $all";

  private final Thread atExit = new Thread(this::end, "sluice-demo-end");
  // guarded by this
  private final List<Process> members = new ArrayList<>();
  private final Process watcher;
  private final PrintWriter toWatcher;
  private boolean ended;

  Family() throws IOException {
    watcher =
        new ProcessBuilder("/bin/sh", "-c", WATCH)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    toWatcher = new PrintWriter(watcher.getOutputStream(), true, StandardCharsets.UTF_8);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Starts a process that belongs to the scene. */
  synchronized Process start(ProcessBuilder builder) throws IOException {
    if (ended) {
      throw new IOException("the scene is over");
    }
    Process process = builder.start();
    members.add(process);
    toWatcher.println(process.pid());
    return process;
  }

  /** Sends a signal by its name, such as STOP. */
  static void signal(Process process, String name) {
    try {
      int code =
          new ProcessBuilder("/bin/sh", "-c", "kill -s " + name + " " + process.pid())
              .start()
              .waitFor();
      if (code != 0) {
        throw new IllegalStateException("kill -s " + name + " ended with " + code);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private synchronized void end() {
    if (ended) {
      return;
    }
    ended = true;
    members.forEach(Process::destroyForcibly); // reaches one that is stopped, too
    members.forEach(member -> member.onExit().join());
    watcher.destroyForcibly();
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      return; // the JVM is going down and runs the hook itself
    }
  }
}
