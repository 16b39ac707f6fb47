package dev.sluice.cli.terminal;

import java.io.IOException;

/** Detects an interactive terminal. */
public final class Terminal {
  public static final int OUTPUT = 1;
  static final int ERROR_OUTPUT = 2;

  private Terminal() {}

  /** Returns whether the output is a terminal that may use colours (no-color.org). */
  public static boolean hasColours() {
    String no = System.getenv("NO_COLOR");
    return (no == null || no.isEmpty()) && !"dumb".equals(System.getenv("TERM")) && is(OUTPUT);
  }

  /** Java 17 cannot test one of them alone. */
  public static boolean is(int descriptor) {
    try {
      return new ProcessBuilder("/bin/sh", "-c", "test -t " + descriptor)
              .inheritIO()
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
