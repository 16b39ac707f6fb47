package dev.sluice.cli.terminal;

import dev.sluice.text.Names;
import dev.sluice.text.Secrets;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Text that is safe to print: names come from any client, and terminals obey control characters.
 */
public final class Text {
  private static final int SHORT_ID = 8;

  /** The start of a URL: the first letter of a scheme. Each character is in one candidate only. */
  private static final Pattern URL =
      Pattern.compile("(?<![A-Za-z0-9+.-])[0-9+.-]*+([A-Za-z][A-Za-z0-9+.-]*+)://");

  /** The form of a URL in messages, which contains no secret although it has an at sign. */
  private static final String USER = "[user:password@]";

  /** The placeholder of that form while secrets are searched. */
  private static final String USER_WITHOUT_AT = "[\0]";

  private Text() {}

  /**
   * Formats a text as one line that cannot drive a terminal or hide other text: control, format and
   * surrogate characters and line ends become {@code \n}, {@code \t} or {@code \}{@code uXXXX}, and
   * a backslash becomes two, so that different names stay different.
   */
  public static String visible(String text) {
    return escape(text, true);
  }

  /**
   * Escapes a finished JSON document, where such characters occur in strings only and backslashes
   * are doubled already.
   */
  public static String visibleJson(String json) {
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
              } else if (Names.isHidden(c)) {
                for (char unit : Character.toChars(c)) {
                  out.append(String.format("\\u%04x", (int) unit));
                }
              } else {
                out.appendCodePoint(c);
              }
            });
    return out.toString();
  }

  /**
   * Masks a message between the start of a URL and the last at sign, because that may contain a
   * password with any characters. It may mask more than the password.
   */
  public static String withoutSecrets(@Nullable String message) {
    if (message == null) {
      return "";
    }
    String text = message.replace(USER, USER_WITHOUT_AT);
    int url = urlFrom(text);
    String shown = url < 0 ? text : text.substring(0, url) + Secrets.mask(text.substring(url));
    return shown.replace(USER_WITHOUT_AT, USER);
  }

  /** The start of the first URL, or -1. */
  static int urlFrom(CharSequence message) {
    Matcher url = URL.matcher(message);
    return url.find() ? url.start(1) : -1;
  }

  /** A number in at most six characters. */
  public static String brief(long number) {
    return number < 1000
        ? "" + number
        : number < 1_000_000
            ? format("%.1fk", number / 1e3)
            : number < 1_000_000_000
                ? format("%.1fM", number / 1e6)
                : format("%.1fG", number / 1e9);
  }

  /** A number of bytes, in powers of 1024. */
  public static String bytes(double bytes) {
    double size = bytes;
    int unit = 0;
    while (size >= 1024 && unit < 6) {
      size /= 1024;
      unit++;
    }
    return unit == 0
        ? format("%.0f bytes", size)
        : format("%.1f ", size) + "KMGTPE".charAt(unit - 1) + "iB";
  }

  private static String format(String pattern, double number) {
    return String.format(Locale.ROOT, pattern, number);
  }

  /** The short form of a client's id. */
  public static String shortId(String client) {
    return visible(client.length() <= SHORT_ID ? client : client.substring(0, SHORT_ID));
  }

  /** Prints one line to the user of the terminal. */
  public static void report(PrintWriter err, @Nullable String message) {
    err.println("sluice: " + visible(withoutSecrets(message)));
    err.flush();
  }
}
