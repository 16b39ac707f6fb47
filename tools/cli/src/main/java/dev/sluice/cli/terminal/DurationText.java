package dev.sluice.cli.terminal;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Durations as text. */
public final class DurationText {
  static final String FORM = "a duration like 250ms, 10s, 2m, 1h or PT1H30M";

  private static final Pattern NUMBER_AND_UNIT = Pattern.compile("(\\d{1,18})(ms|s|m|h|d)");
  private static final Map<String, Long> MILLIS_OF_UNIT =
      Map.of("ms", 1L, "s", 1000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  private static final Duration MAX_DURATION = Duration.ofMillis(Long.MAX_VALUE);

  private DurationText() {}

  /**
   * Parses {@code 250ms}, {@code 10s}, {@code 2m}, {@code 1h}, {@code 1d} or an ISO-8601 duration
   * whose milliseconds fit into 63 bits.
   */
  static Optional<Duration> parse(String text) {
    String plain = text.strip().toLowerCase(Locale.ROOT);
    Matcher matcher = NUMBER_AND_UNIT.matcher(plain);
    try {
      if (matcher.matches()) {
        long unit = MILLIS_OF_UNIT.getOrDefault(matcher.group(2), 0L);
        return Optional.of(
            Duration.ofMillis(Math.multiplyExact(Long.parseLong(matcher.group(1)), unit)));
      }
      Optional<Duration> iso =
          plain.startsWith("p") ? Optional.of(Duration.parse(plain)) : Optional.empty();
      return iso.filter(time -> time.abs().compareTo(MAX_DURATION) <= 0);
    } catch (ArithmeticException | DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /** Reads the value of an option: zero or more. */
  public static Duration option(CommandLine command, String option, String value) {
    Duration parsed =
        parse(value)
            .orElseThrow(
                () -> new ParameterException(command, option + " must be " + FORM + ": " + value));
    if (parsed.isNegative()) {
      throw new ParameterException(command, option + " must not be negative: " + value);
    }
    return parsed;
  }

  /** Formats a short form: "250ms", "9.8s", "1m05s", "2h03m", "1d00h". */
  public static String brief(Duration time) {
    long millis = Math.max(0, time.toMillis());
    if (millis < 1000) {
      return millis + "ms";
    }
    if (millis < 60_000) {
      return BigDecimal.valueOf(millis / 100, 1) + "s";
    }
    long seconds = millis / 1000;
    if (seconds < 3600) {
      return two(seconds / 60, "m", seconds % 60, "s");
    }
    if (seconds < 86_400) {
      return two(seconds / 3600, "h", seconds / 60 % 60, "m");
    }
    return two(seconds / 86_400, "d", seconds / 3600 % 24, "h");
  }

  private static String two(long big, String bigUnit, long small, String smallUnit) {
    return big + bigUnit + (small < 10 ? "0" : "") + small + smallUnit;
  }
}
