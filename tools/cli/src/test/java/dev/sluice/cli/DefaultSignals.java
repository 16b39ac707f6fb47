package dev.sluice.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts a program with SIGINT and SIGHUP at their defaults. A script ignores SIGINT in its
 * background jobs and {@code nohup} ignores SIGHUP. Every program that they start inherits this, a
 * build with all its JVMs included, and neither a POSIX shell nor a JVM can undo it.
 */
final class DefaultSignals {
  private static final List<String> NAMES = List.of("INT", "HUP");
  private static final int SIGNAL = 128;

  /** Each works on some systems. The first one does nothing, and is enough in the foreground. */
  private static final List<List<String>> CANDIDATES =
      List.of(
          List.of(),
          List.of("env", "--default-signal=INT,HUP"), // GNU
          List.of("perl", "-e", "@SIG{qw(INT HUP)} = ('DEFAULT') x 2; exec @ARGV or die $!"));

  private static final List<String> PREFIX = choose();

  private DefaultSignals() {}

  /** {@return words that a command line begins with} */
  static List<String> prefix() {
    return PREFIX;
  }

  private static List<String> choose() {
    for (List<String> candidate : CANDIDATES) {
      if (NAMES.stream().allMatch(name -> endedBy(name, candidate))) {
        return candidate;
      }
    }
    throw new AssertionError(
        "SIGINT or SIGHUP is ignored here, and neither env --default-signal (GNU) nor perl is"
            + " there to restore it: run the build in the foreground");
  }

  /** {@return whether a program that starts so is ended by this signal} */
  static boolean endedBy(String signal, List<String> prefix) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of("sh", "-c", "kill -s " + signal + " $$"));
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          > SIGNAL;
    } catch (IOException e) {
      return false; // no such program
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException(e));
    }
  }
}
