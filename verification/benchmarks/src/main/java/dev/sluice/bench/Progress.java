package dev.sluice.bench;

import java.time.Duration;

/** One line on the terminal that says what is going on; plain lines where there is no terminal. */
final class Progress {
  private static final int WIDTH = 119;

  private final boolean terminal = System.console() != null;
  private final long began;
  private final String before;

  Progress() {
    this(System.nanoTime(), "");
  }

  private Progress(long began, String before) {
    this.began = began;
    this.before = before;
  }

  /** {@return the same clock for a part of the whole, whose name begins its lines} */
  Progress part(String name) {
    return new Progress(began, name + " ");
  }

  /** {@return time since the beginning of the whole} */
  Duration passed() {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  void report(String what) {
    String line = clock(passed()) + " " + before + what;
    if (terminal && line.length() > WIDTH) {
      line = line.substring(0, WIDTH); // a line that wraps cannot be taken back
    }
    System.err.print(terminal ? "\r\u001b[K" + line : line + "\n");
    System.err.flush();
  }

  static String clock(Duration time) {
    return String.format("%d:%02d", time.toMinutes(), time.toSecondsPart());
  }

  void end() {
    if (terminal) {
      System.err.print("\r\u001b[K");
      System.err.flush();
    }
  }
}
