package dev.sluice.replay;

import org.jspecify.annotations.Nullable;

/**
 * Finds the time and the key of a request in a log line. Remembers the line before, so one object
 * reads one log; not safe for use by several threads.
 *
 * @since 0.1
 */
public abstract sealed class LogFormat permits CommonLog, CsvLog {
  /** The line names no key, so no limit applies to it. */
  static final String NO_KEY = "no key";

  /** The line is the header. */
  static final String HEADER = "header";

  /** Assigns every request to one key. */
  static final String ALL = "all";

  private static final byte[] ALL_BYTES = {'a', 'l', 'l'};

  LogFormat() {}

  /**
   * Reads one line.
   *
   * @return null if the line was read, else {@link #NO_KEY}, {@link #HEADER} or what is wrong
   * @throws IllegalArgumentException if this cannot be a log of this format
   */
  abstract @Nullable String read(byte[] bytes, int from, int to, LogLine line);

  static void all(LogLine line) {
    line.key(ALL_BYTES, 0, ALL_BYTES.length);
  }

  /**
   * Common Log Format, and formats that extend it: Combined, and those with more fields.
   *
   * @param key {@code ip}, {@code user}, {@code path} or {@code all}
   * @return a reader for one log
   * @throws IllegalArgumentException if the key is none of these
   */
  public static LogFormat common(String key) {
    return new CommonLog(key);
  }

  /**
   * Columns with a header line, separated by comma, semicolon or tab.
   *
   * @param key name of the column, or {@code all}
   * @param time name of the column, or empty for the first of {@code time}, {@code timestamp},
   *     {@code ts}, {@code date}, {@code datetime}, {@code @timestamp}
   * @return a reader for one log
   */
  public static LogFormat csv(String key, String time) {
    return new CsvLog(key, time);
  }
}
