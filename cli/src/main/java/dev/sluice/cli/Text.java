package dev.sluice.cli;

import dev.sluice.spi.Secrets;
import org.jspecify.annotations.Nullable;

/** Text that is safe to show: names come from anybody, terminals obey control characters. */
final class Text {
  private static final int SHORT_ID = 8;

  private Text() {}

  /**
   * One line without anything that a terminal acts on or that hides other text: control, format and
   * surrogate characters and line ends become {@code \n}, {@code \t} or {@code \}{@code uXXXX}, and
   * a backslash becomes two, so that different names stay different.
   */
  static String visible(String text) {
    return escape(text, true);
  }

  /**
   * The same for a finished JSON document, where such characters stand inside strings only and
   * backslashes are doubled already.
   */
  static String visibleJson(String json) {
    return escape(json, false);
  }

  private static String escape(String text, boolean plain) {
    StringBuilder out = new StringBuilder(text.length() + 8);
    text.codePoints()
        .forEach(
            c -> {
              if (plain && c == '\\') {
                out.append("\\\\");
              } else if (plain && c == '\n') {
                out.append("\\n");
              } else if (plain && c == '\t') {
                out.append("\\t");
              } else if (isUnsafe(c)) {
                for (char unit : Character.toChars(c)) {
                  out.append(String.format("\\u%04x", (int) unit));
                }
              } else {
                out.appendCodePoint(c);
              }
            });
    return out.toString();
  }

  private static boolean isUnsafe(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.UNASSIGNED ->
          true;
      default -> false;
    };
  }

  /**
   * A message without what stands between the start of a URL and the last at sign: it may hold a
   * password, and a password may hold anything, so rather too much is hidden than too little.
   */
  static String withoutSecrets(@Nullable String message) {
    if (message == null) {
      return "";
    }
    int url = message.indexOf("://");
    return url < 0 ? message : message.substring(0, url) + Secrets.mask(message.substring(url));
  }

  /** Enough of a client's id to tell it from others. */
  static String shortId(String client) {
    return visible(client.length() <= SHORT_ID ? client : client.substring(0, SHORT_ID));
  }
}
