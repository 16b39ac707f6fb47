package dev.sluice.replay;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Parses columns, quoted as in RFC 4180; a quoted field ends on the line on which it began. */
final class CsvLog extends LogFormat {
  private static final List<String> TIMES =
      List.of("time", "timestamp", "ts", "date", "datetime", "@timestamp");

  private final String keyName;
  private final String timeName;
  private byte separator;
  private int keyColumn = -1;
  private int timeColumn = -1;

  // the field that was read last
  private byte[] bytes = new byte[0];
  private byte[] unquoted = new byte[64];
  private byte[] spare = new byte[64];
  private int start;
  private int end;
  private int next;

  CsvLog(String key, String time) {
    this.keyName = key;
    this.timeName = time;
  }

  @Override
  @Nullable String read(byte[] line, int from, int to, LogLine found) {
    if (timeColumn < 0) {
      header(line, from, to);
      return HEADER;
    }
    found.time = TimeText.NONE;
    boolean hasKey = keyColumn < 0;
    if (hasKey) {
      all(found);
    }
    int last = Math.max(keyColumn, timeColumn);
    next = from;
    for (int column = 0; column <= last; column++) {
      if (next > to) {
        return "only " + column + " columns";
      }
      if (!field(line, to)) {
        return "a quote without its end";
      }
      if (column == timeColumn) {
        found.time = TimeText.parse(bytes, start, end);
      }
      if (column == keyColumn) {
        hasKey = end > start;
        found.key(bytes, start, end);
        if (bytes == unquoted) {
          unquoted = spare; // what was read is the key's now, until the next line
          spare = bytes;
        }
      }
    }
    return found.time == TimeText.NONE ? "not a time" : hasKey ? null : NO_KEY;
  }

  private void header(byte[] line, int from, int to) {
    separator = ',';
    for (byte other : new byte[] {';', '\t'}) {
      if (Words.indexOf(separator, line, from, to) < 0) {
        separator = other;
      }
    }
    List<String> names = new ArrayList<>();
    next = from;
    while (next <= to && field(line, to)) {
      names.add(new String(bytes, start, end - start, StandardCharsets.UTF_8).strip());
    }
    List<String> lower = names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    String shown = String.join(", ", names.subList(0, Math.min(20, names.size())));
    if (timeName.isEmpty()) {
      timeColumn =
          TIMES.stream().mapToInt(lower::indexOf).filter(i -> i >= 0).findFirst().orElse(-1);
      if (timeColumn < 0) {
        throw new IllegalArgumentException(
            "the column of the time is unknown. Set --time to one of: " + shown);
      }
    } else {
      timeColumn = column(timeName, "--time", lower, shown);
    }
    if (!keyName.equals(ALL)) {
      keyColumn = column(keyName, "--key", lower, shown);
    }
  }

  private static int column(String name, String option, List<String> names, String shown) {
    int column = names.indexOf(name.toLowerCase(Locale.ROOT));
    if (column < 0) {
      throw new IllegalArgumentException(
          option + ": there is no column '" + name + "'; there are: " + shown);
    }
    return column;
  }

  /** Reads the field at {@code next}; false if a quote does not end. */
  private boolean field(byte[] line, int to) {
    if (next < to && line[next] == '"') {
      return quoted(line, to);
    }
    bytes = line;
    start = next;
    end = start;
    while (end < to && line[end] != separator) {
      end++;
    }
    next = end + 1;
    return true;
  }

  private boolean quoted(byte[] line, int to) {
    if (unquoted.length < to - next) {
      unquoted = new byte[to - next];
    }
    int length = 0;
    int i = next + 1;
    while (i < to && (line[i] != '"' || (i + 1 < to && line[i + 1] == '"'))) {
      unquoted[length++] = line[i];
      i += line[i] == '"' ? 2 : 1;
    }
    if (i >= to || (i + 1 < to && line[i + 1] != separator)) {
      return false;
    }
    bytes = unquoted;
    start = 0;
    end = length;
    next = i + 2;
    return true;
  }
}
