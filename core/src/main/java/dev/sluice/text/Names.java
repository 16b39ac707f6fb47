package dev.sluice.text;

import java.nio.charset.StandardCharsets;

/**
 * The rule for names of locks and other primitives, and their encoding in keys.
 *
 * @since 0.1
 */
public final class Names {
  private static final int MAX_BYTES = 512;

  private Names() {}

  /**
   * Checks a name: 1 to 512 bytes of UTF-8, no lone surrogate. Nothing is normalised: names that
   * differ in case, in trailing blanks or in Unicode form are different names.
   *
   * @param name the name
   * @return the name
   * @throws IllegalArgumentException if it breaks the rule
   */
  public static String check(String name) {
    return check("name", name);
  }

  /**
   * Checks a text by the rule of names, such as the key of a limiter.
   *
   * @param what names it in messages
   * @param text the text: 1 to 512 bytes of UTF-8, no lone surrogate
   * @return the text
   * @throws IllegalArgumentException if it breaks the rule
   */
  public static String check(String what, String text) {
    return check(what, text, MAX_BYTES);
  }

  /**
   * Checks a text by the rule of names.
   *
   * @param what names it in messages
   * @param text the text: 1 to {@code most} bytes of UTF-8, no lone surrogate
   * @param most bytes
   * @return the text
   * @throws IllegalArgumentException if it breaks the rule
   */
  public static String check(String what, String text, int most) {
    if (text == null) {
      throw new IllegalArgumentException(what + " must not be null");
    }
    if (text.isEmpty()) {
      throw new IllegalArgumentException(rule(what, most) + "is empty");
    }
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        bytes += 4;
        i++;
      } else if (Character.isSurrogate(c)) {
        throw new IllegalArgumentException(
            what + " must be valid Unicode: lone surrogate at index " + i);
      } else {
        bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
      }
      if (bytes > most) {
        throw new IllegalArgumentException(
            rule(what, most) + "has " + text.getBytes(StandardCharsets.UTF_8).length);
      }
    }
    return text;
  }

  private static String rule(String what, int most) {
    return what + " must be 1 to " + most + " bytes of UTF-8: it ";
  }

  /**
   * Quotes a name, or any other text of a caller, for a message, with {@link #isHidden hidden}
   * characters as {@code \}{@code uXXXX}. So it can neither begin a line in a log nor drive a
   * terminal nor look like another name.
   *
   * @param name the text
   * @return the text to show
   */
  public static String quoted(String name) {
    if (name.codePoints().noneMatch(Names::isHidden)) {
      return "'" + name + "'";
    }
    StringBuilder out = new StringBuilder(name.length() + 16).append('\'');
    name.codePoints().forEach(c -> show(c, out));
    return out.append('\'').toString();
  }

  private static void show(int c, StringBuilder out) {
    if (isHidden(c)) {
      for (char unit : Character.toChars(c)) {
        out.append(String.format("\\u%04x", (int) unit));
      }
    } else {
      out.appendCodePoint(c);
    }
  }

  /**
   * Returns whether a character controls a terminal or a log, is invisible, or reverses text:
   * control and format characters, line ends, lone surrogates, and unassigned characters.
   *
   * @param c a code point
   * @return whether it should not be shown as it is
   */
  public static boolean isHidden(int c) {
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
   * Encodes a name as part of a key: braces, percent and control characters become percent escapes
   * of their UTF-8 bytes. Different names stay different.
   *
   * @param name a checked name
   * @return the encoded name
   */
  public static String encode(String name) {
    int i = 0;
    while (i < name.length() && isPlain(name.charAt(i))) {
      i++;
    }
    if (i == name.length()) {
      return name;
    }
    StringBuilder out = new StringBuilder(name.length() + 16).append(name, 0, i);
    for (; i < name.length(); i++) {
      char c = name.charAt(i);
      if (isPlain(c)) {
        out.append(c);
      } else {
        for (byte b : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
          out.append('%')
              .append(Character.toUpperCase(Character.forDigit((b >> 4) & 0xF, 16)))
              .append(Character.toUpperCase(Character.forDigit(b & 0xF, 16)));
        }
      }
    }
    return out.toString();
  }

  private static boolean isPlain(char c) {
    return c != '{' && c != '}' && c != '%' && !Character.isISOControl(c);
  }

  /**
   * Undoes {@link #encode}.
   *
   * @param encoded an encoded name
   * @return the name
   * @throws IllegalArgumentException if an escape is broken, so that {@link #encode} cannot have
   *     made it; what others wrote may be read as a name, too
   */
  public static String decode(String encoded) {
    if (encoded.indexOf('%') < 0) {
      return encoded;
    }
    byte[] in = encoded.getBytes(StandardCharsets.UTF_8);
    byte[] out = new byte[in.length];
    int n = 0;
    for (int i = 0; i < in.length; i++) {
      if (in[i] != '%') {
        out[n++] = in[i];
        continue;
      }
      int high = i + 2 < in.length ? Character.digit(in[i + 1], 16) : -1;
      int low = i + 2 < in.length ? Character.digit(in[i + 2], 16) : -1;
      if (high < 0 || low < 0) {
        throw new IllegalArgumentException("broken percent escape in '" + encoded + "'");
      }
      out[n++] = (byte) (high << 4 | low);
      i += 2;
    }
    return new String(out, 0, n, StandardCharsets.UTF_8);
  }
}
