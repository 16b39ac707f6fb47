package dev.sluice.replay;

import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.YearMonth;

/**
 * Parses times of logs from bytes: {@code 21/Nov/2026:00:34:56 +0100}, ISO-8601 (without an offset:
 * UTC), and seconds, milliseconds, microseconds or nanoseconds since 1970, distinguished by the
 * number of digits.
 */
final class TimeText {
  static final long NONE = Long.MIN_VALUE;

  private static final byte[] MONTHS =
      "JanFebMarAprMayJunJulAugSepOctNovDec".getBytes(StandardCharsets.US_ASCII);

  /** 2200-01-01; the arithmetic of limits ends in 2255. */
  private static final long LATEST_MICROS = 7_258_118_400_000_000L;

  static final int COMMON_LENGTH = 26;

  private TimeText() {}

  /** Microseconds since the epoch, or {@link #NONE}. */
  static long parse(byte[] bytes, int from, int to) {
    int length = to - from;
    if (length == COMMON_LENGTH && bytes[from + 2] == '/') {
      return common(bytes, from);
    }
    if (length >= 16 && bytes[from + 4] == '-' && bytes[from + 7] == '-') {
      return iso(bytes, from, to);
    }
    return sinceEpoch(bytes, from, to);
  }

  /** {@code 21/Nov/2026:00:34:56 +0100}. */
  static long common(byte[] bytes, int at) {
    if (bytes[at + 2] != '/'
        || bytes[at + 6] != '/'
        || bytes[at + 11] != ':'
        || bytes[at + 20] != ' ') {
      return NONE;
    }
    int month = 0;
    for (int i = 0; i < MONTHS.length && month == 0; i += 3) {
      if (bytes[at + 3] == MONTHS[i]
          && bytes[at + 4] == MONTHS[i + 1]
          && bytes[at + 5] == MONTHS[i + 2]) {
        month = i / 3 + 1;
      }
    }
    long seconds =
        seconds(number(bytes, at + 7, at + 11), month, number(bytes, at, at + 2), bytes, at + 12);
    long offset = offset(bytes, at + 21, at + 26);
    return seconds == NONE || offset == NONE ? NONE : micros(seconds - offset, 0);
  }

  private static long iso(byte[] bytes, int from, int to) {
    int end = from + 16;
    long seconds;
    int date = number(bytes, from, from + 4);
    int month = number(bytes, from + 5, from + 7);
    int day = number(bytes, from + 8, from + 10);
    if (bytes[from + 10] != 'T' && bytes[from + 10] != ' ' || bytes[from + 13] != ':') {
      return NONE;
    }
    if (to >= from + 19 && bytes[from + 16] == ':') {
      seconds = seconds(date, month, day, bytes, from + 11);
      end = from + 19;
    } else {
      int hour = number(bytes, from + 11, from + 13);
      int minute = number(bytes, from + 14, from + 16);
      seconds = seconds(date, month, day, hour, minute, 0);
    }
    long fraction = 0;
    if (end < to && (bytes[end] == '.' || bytes[end] == ',')) {
      int digits = end + 1;
      while (digits < to && isDigit(bytes[digits])) {
        digits++;
      }
      fraction = fraction(bytes, end + 1, digits);
      end = digits;
    }
    long offset;
    if (end == to || (end == to - 1 && bytes[end] == 'Z')) {
      offset = 0;
    } else {
      offset = offset(bytes, end, to);
    }
    return seconds == NONE || fraction == NONE || offset == NONE
        ? NONE
        : micros(seconds - offset, fraction);
  }

  private static long sinceEpoch(byte[] bytes, int from, int to) {
    int end = from;
    long value = 0;
    while (end < to && isDigit(bytes[end]) && end - from < 19) {
      value = value * 10 + (bytes[end++] - '0');
    }
    int digits = end - from;
    long fraction = 0;
    if (end < to && bytes[end] == '.' && digits <= 11) {
      fraction = fraction(bytes, end + 1, to);
    } else if (end < to) {
      return NONE;
    }
    if (digits == 0 || fraction == NONE || value < 0) {
      return NONE;
    }
    if (digits <= 11) {
      return micros(value, fraction);
    }
    long micros = digits <= 14 ? value * 1000 : digits <= 17 ? value : value / 1000;
    return micros(micros / 1_000_000, micros % 1_000_000);
  }

  private static long micros(long seconds, long fraction) {
    return seconds < 0 || seconds >= LATEST_MICROS / 1_000_000
        ? NONE
        : seconds * 1_000_000 + fraction;
  }

  /** Parses {@code HH:MM:SS} at an offset, on a day. */
  private static long seconds(int year, int month, int day, byte[] bytes, int at) {
    if (bytes[at + 2] != ':' || bytes[at + 5] != ':') {
      return NONE;
    }
    return seconds(
        year,
        month,
        day,
        number(bytes, at, at + 2),
        number(bytes, at + 3, at + 5),
        number(bytes, at + 6, at + 8));
  }

  private static long seconds(int year, int month, int day, int hour, int minute, int second) {
    if (year < 0 || month < 1 || month > 12 || day < 1) {
      return NONE;
    }
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
      return NONE; // 60: a leap second
    }
    if (day > YearMonth.of(year, month).lengthOfMonth()) {
      return NONE;
    }
    long days = LocalDate.of(year, month, day).toEpochDay();
    return days * 86_400 + hour * 3600 + minute * 60 + second;
  }

  /** Seconds of {@code +HHMM}, {@code +HH:MM} or {@code +HH}. */
  private static long offset(byte[] bytes, int from, int to) {
    int length = to - from;
    boolean colon = length == 6 && bytes[from + 3] == ':';
    if (length != 3 && length != 5 && !colon || bytes[from] != '+' && bytes[from] != '-') {
      return NONE;
    }
    int hours = number(bytes, from + 1, from + 3);
    int minutes = length == 3 ? 0 : number(bytes, to - 2, to);
    if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) {
      return NONE;
    }
    long seconds = hours * 3600L + minutes * 60L;
    return bytes[from] == '-' ? -seconds : seconds;
  }

  /** Microseconds of the fraction digits; further digits are dropped. */
  private static long fraction(byte[] bytes, int from, int to) {
    if (from >= to || to - from > 9) {
      return NONE;
    }
    long micros = 0;
    for (int i = 0; i < 6; i++) {
      micros = micros * 10 + (from + i < to ? bytes[from + i] - '0' : 0);
    }
    for (int i = from; i < to; i++) {
      if (!isDigit(bytes[i])) {
        return NONE;
      }
    }
    return micros;
  }

  private static int number(byte[] bytes, int from, int to) {
    int value = 0;
    for (int i = from; i < to; i++) {
      if (!isDigit(bytes[i])) {
        return -1;
      }
      value = value * 10 + (bytes[i] - '0');
    }
    return value;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }
}
