package dev.sluice.console;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Commands for people to copy: each runs in a shell as it is. */
final class Hints {
  private Hints() {}

  /** The command line of Sluice with these words. */
  static String sluice(String... words) {
    return Arrays.stream(words).map(Hints::word).collect(Collectors.joining(" ", "sluice ", ""));
  }

  /** One word, whatever is in it. */
  private static String word(String text) {
    return text.matches("[\\w./:@%+=,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
