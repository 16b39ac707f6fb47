package dev.sluice.console.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/** Reads and writes JSON as maps and lists. What was read is not trusted: each field is checked. */
public final class Json {
  /**
   * The greatest number, so that sums of some thousands do not overflow; a page has no larger whole
   * number.
   */
  private static final long MAX_COUNT = (1L << 53) - 1;

  private Json() {}

  public static String text(Object value) {
    return JSON.std.asString(value);
  }

  static byte[] bytes(Object value) {
    return text(value).getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads an object.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Map<String, Object> object(String text) {
    try {
      if (JSON.std.anyFrom(text) instanceof Map<?, ?> found) {
        return cast(found);
      }
    } catch (JacksonException e) {
      throw new IllegalArgumentException("must be a JSON object: " + e.getOriginalMessage(), e);
    }
    throw new IllegalArgumentException("must be a JSON object");
  }

  @SuppressWarnings("unchecked") // the keys of an object are strings
  private static Map<String, Object> cast(Map<?, ?> found) {
    return (Map<String, Object>) found;
  }

  /** A text field, or its default; never longer than {@code most}. */
  public static String text(Map<String, Object> from, String field, int most, String otherwise) {
    return from.get(field) instanceof String text && text.length() <= most ? text : otherwise;
  }

  /** A field with a whole number, limited to zero through 2^53 - 1; zero if it is not a number. */
  public static long count(Map<String, Object> from, String field) {
    return from.get(field) instanceof Number number
        ? Math.max(0, Math.min(MAX_COUNT, number.longValue()))
        : 0;
  }

  /** {@return the objects of a list field} */
  public static List<Map<String, Object>> objects(
      Map<String, Object> from, String field, int most) {
    List<Map<String, Object>> objects = new ArrayList<>();
    for (Object each : list(from.get(field), most)) {
      if (each instanceof Map<?, ?> object) {
        objects.add(cast(object));
      }
    }
    return objects;
  }

  /** The texts in a field that is a list. */
  public static List<String> texts(Map<String, Object> from, String field, int most) {
    List<String> texts = new ArrayList<>();
    for (Object each : list(from.get(field), most)) {
      if (each instanceof String text) {
        texts.add(text);
      }
    }
    return texts;
  }

  private static List<?> list(@Nullable Object value, int most) {
    return value instanceof List<?> list ? list.subList(0, Math.min(most, list.size())) : List.of();
  }
}
