package dev.sluice.limit;

import dev.sluice.limit.Limit.Algorithm;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Converts limits to text and back. */
final class LimitText {
  private static final Pattern RATE = Pattern.compile("(\\d{1,13})/(\\d{0,15})(us|ms|s|m|h|d)");
  private static final String FORM =
      "ALGORITHM COUNT/PERIOD [burst N] [slots N] [places N] [name NAME] [shared] [per-call]";

  private LimitText() {}

  static Limit parse(String text) {
    List<String> words = List.of(text.strip().split("\\s+"));
    if (words.size() < 2) {
      throw wrong(text, "it must have the form " + FORM);
    }
    Algorithm algorithm = algorithm(text, words.get(0));
    Matcher rate = RATE.matcher(words.get(1));
    if (!rate.matches()) {
      throw wrong(text, "'" + words.get(1) + "' is not a rate such as 10/s or 1000/1h");
    }
    long count = Long.parseLong(rate.group(1));
    Duration period = period(text, rate.group(2), rate.group(3));
    Limit limit = Limit.of(algorithm, count, period);
    Iterator<String> rest = words.listIterator(2);
    while (rest.hasNext()) {
      String word = rest.next();
      if (word.equals("shared")) {
        limit = limit.shared();
      } else if (word.equals("per-call")) {
        limit = limit.perCall();
      } else if (rest.hasNext()) {
        limit = changed(limit, text, word, rest.next());
      } else {
        throw wrong(text, "'" + word + "' must be followed by a value");
      }
    }
    return limit.exact();
  }

  private static Limit changed(Limit limit, String text, String word, String value) {
    return switch (word) {
      case "name" -> limit.name(value);
      case "burst" -> limit.burst(number(text, value));
      case "places" -> limit.places((int) Math.min(Integer.MAX_VALUE, number(text, value)));
      case "slots" -> limit.slots((int) Math.min(Integer.MAX_VALUE, number(text, value)));
      default -> throw wrong(text, "'" + word + "' does not belong to " + limit.algorithm().word());
    };
  }

  private static Algorithm algorithm(String text, String word) {
    for (Algorithm algorithm : Algorithm.values()) {
      if (algorithm.word().equals(word.toLowerCase(Locale.ROOT))) {
        return algorithm;
      }
    }
    throw wrong(
        text,
        "the algorithm must be one of "
            + Arrays.stream(Algorithm.values())
                .map(Algorithm::word)
                .collect(Collectors.joining(", ")));
  }

  private static Duration period(String text, String number, String unit) {
    long many = number.isEmpty() ? 1 : number(text, number);
    try {
      return switch (unit) {
        case "us" -> Duration.ofNanos(Math.multiplyExact(many, 1000));
        case "ms" -> Duration.ofMillis(many);
        case "s" -> Duration.ofSeconds(many);
        case "m" -> Duration.ofMinutes(many);
        case "h" -> Duration.ofHours(many);
        default -> Duration.ofDays(many);
      };
    } catch (ArithmeticException e) {
      throw wrong(text, "the period is too long");
    }
  }

  private static long number(String text, String value) {
    if (value.isEmpty()
        || value.length() > 15
        || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw wrong(text, "'" + value + "' is not a whole number of at most 15 digits");
    }
    return Long.parseLong(value);
  }

  private static IllegalArgumentException wrong(String text, String why) {
    return new IllegalArgumentException("limit '" + text + "': " + why);
  }

  static String of(Limit limit) {
    StringBuilder text = new StringBuilder(limit.algorithm().word());
    text.append(' ').append(limit.count()).append('/').append(period(limit));
    if (limit.algorithm().isBucket()) {
      text.append(" burst ").append(limit.capacity());
    } else if (limit.algorithm() == Algorithm.LEAKY_QUEUE) {
      text.append(" places ").append(limit.capacity());
    } else if (limit.algorithm() == Algorithm.SLIDING_WINDOW) {
      text.append(" slots ").append(limit.slots());
    }
    if (!limit.name().isEmpty()) {
      text.append(" name ").append(limit.name());
    }
    text.append(limit.isShared() ? " shared" : "");
    return text.append(limit.isPerCall() ? " per-call" : "").toString();
  }

  private static String period(Limit limit) {
    long micros = limit.periodMicros();
    if (micros % 1000 != 0) {
      return micros + "us";
    }
    if (micros % 1_000_000 != 0) {
      return micros / 1000 + "ms";
    }
    long seconds = micros / 1_000_000;
    if (seconds % 86_400 == 0) {
      return seconds / 86_400 + "d";
    }
    return seconds % 3600 == 0
        ? seconds / 3600 + "h"
        : seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }
}
