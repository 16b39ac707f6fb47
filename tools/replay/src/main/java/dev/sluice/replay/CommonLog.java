package dev.sluice.replay;

import org.jspecify.annotations.Nullable;

/** {@code HOST IDENT USER [TIME] "METHOD PATH PROTOCOL" STATUS SIZE ...}. */
final class CommonLog extends LogFormat {
  private enum Key {
    IP,
    USER,
    PATH,
    ALL
  }

  private final Key key;

  // most lines bear the time of the line before; the time itself, as four overlapping words
  private long word0;
  private long word1;
  private long word2;
  private long word3;
  private long micros = TimeText.NONE;

  CommonLog(String key) {
    this.key =
        switch (key) {
          case "ip" -> Key.IP;
          case "user" -> Key.USER;
          case "path" -> Key.PATH;
          case ALL -> Key.ALL;
          default ->
              throw new IllegalArgumentException(
                  "--key must be ip, user, path or all for this format: " + key);
        };
  }

  @Override
  @Nullable String read(byte[] bytes, int from, int to, LogLine line) {
    int hostEnd = skipTo(' ', bytes, from, to);
    int identEnd = skipTo(' ', bytes, hostEnd + 1, to);
    int open = identEnd;
    int timeEnd = to;
    boolean any = false;
    line.time = TimeText.NONE;
    while (line.time == TimeText.NONE) {
      open = skipTo('[', bytes, open + 1, to);
      if (open == to || hostEnd == from) {
        return any ? "not a time" : "no [time]";
      }
      if (bytes[open - 1] == ' ') { // a user's name may hold anything, so look on if it is no time
        any = true;
        timeEnd = time(bytes, open + 1, to, line);
      }
    }
    return switch (key) {
      case IP -> key(line, bytes, from, hostEnd);
      case USER -> key(line, bytes, Math.min(identEnd + 1, open - 1), open - 1);
      case PATH -> path(line, bytes, timeEnd + 1, to);
      case ALL -> {
        all(line);
        yield null;
      }
    };
  }

  /** Parses the time after a bracket; returns its end. */
  private int time(byte[] bytes, int from, int to, LogLine line) {
    int end = from + TimeText.COMMON_LENGTH;
    if (end < to && bytes[end] == ']') {
      line.time = common(bytes, from);
      return end;
    }
    end = skipTo(']', bytes, from, to);
    line.time = end == to ? TimeText.NONE : TimeText.parse(bytes, from, end);
    return end;
  }

  private long common(byte[] bytes, int at) {
    long w0 = Words.at(bytes, at);
    long w1 = Words.at(bytes, at + 8);
    long w2 = Words.at(bytes, at + 16);
    long w3 = Words.at(bytes, at + TimeText.COMMON_LENGTH - 8);
    if (w0 != word0 || w1 != word1 || w2 != word2 || w3 != word3 || micros == TimeText.NONE) {
      micros = TimeText.common(bytes, at);
      word0 = w0;
      word1 = w1;
      word2 = w2;
      word3 = w3;
    }
    return micros;
  }

  private static @Nullable String key(LogLine line, byte[] bytes, int from, int to) {
    if (from >= to || (to - from == 1 && bytes[from] == '-')) {
      return NO_KEY;
    }
    line.key(bytes, from, to);
    return null;
  }

  /** The second word of the request, without the query. */
  private static @Nullable String path(LogLine line, byte[] bytes, int from, int to) {
    int quote = from;
    while (quote < to && bytes[quote] == ' ') {
      quote++;
    }
    if (quote == to || bytes[quote] != '"') {
      return "no \"request\"";
    }
    int start = quote + 1;
    int end = start;
    boolean second = false;
    while (end < to && bytes[end] != '"') {
      if (bytes[end] == ' ' && !second) {
        second = true;
        start = end + 1;
      } else if (second && (bytes[end] == ' ' || bytes[end] == '?')) {
        return key(line, bytes, start, end);
      }
      end += bytes[end] == '\\' ? 2 : 1;
    }
    return end >= to ? "the \"request\" has no end" : key(line, bytes, start, end);
  }

  private static int skipTo(char wanted, byte[] bytes, int from, int to) {
    int i = from;
    while (i < to && bytes[i] != wanted) {
      i++;
    }
    return Math.min(i, to);
  }
}
