package dev.sluice.bench;

import java.time.Duration;

/** One line on the terminal that says what is going on; plain lines where there is no terminal. */
final class Progress {
  private final boolean terminal = System.console() != null;
  private final long began = System.nanoTime();

  void tell(String what) {
    Duration passed = Duration.ofNanos(System.nanoTime() - began);
    String line = String.format("%d:%02d %s", passed.toMinutes(), passed.toSecondsPart(), what);
    System.err.print(terminal ? "\r\u001b[K" + line : line + "\n");
    System.err.flush();
  }

  void end() {
    if (terminal) {
      System.err.print("\r\u001b[K");
      System.err.flush();
    }
  }
}
