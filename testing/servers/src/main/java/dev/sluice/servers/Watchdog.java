package dev.sluice.servers;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Kills a child process when this JVM ends, even one that is stopped. It holds the other end of a
 * pipe from this JVM, and when the JVM ends or crashes, the pipe ends.
 */
public final class Watchdog implements AutoCloseable {
  private final Process dog;

  private Watchdog(Process dog) {
    this.dog = dog;
  }

  /**
   * Watches over a child.
   *
   * @param child a process that this JVM started
   * @return its watchdog; close it before the child's end is waited for, so that it never kills a
   *     stranger with the same number
   * @throws IOException if no shell could be started
   */
  public static Watchdog of(Process child) throws IOException {
    return new Watchdog(
        new ProcessBuilder("sh", "-c", "read _; kill -9 " + child.pid())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  /**
   * Sends a signal.
   *
   * @param child a live process that this JVM started
   * @param which such as {@code "-STOP"} or {@code "-CONT"}
   */
  public static void signal(Process child, String which) {
    try {
      int result = new ProcessBuilder("kill", which, "" + child.pid()).start().waitFor();
      if (result != 0) {
        throw new IllegalStateException("kill " + which + " ended with " + result);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /**
   * Kills a process and waits for its end. An interrupt does not end the wait. {@code
   * Process.onExit} would need a free thread of the common pool, which on JDK 25 has only one on
   * two cores.
   *
   * @param process a process that this JVM started
   */
  public static void kill(Process process) {
    process.destroyForcibly();
    boolean interrupted = false;
    while (true) {
      try {
        process.waitFor();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    dog.destroyForcibly();
  }
}
