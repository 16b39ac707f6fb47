package dev.sluice.spring.cache;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.temporal.TemporalAccessor;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.util.ReflectionUtils;

/**
 * The stored form of Spring's cache keys: one value by its text, as {@code GuardedCache} names it,
 * and several with their lengths, so that no two keys of a method collide.
 */
final class KeyText {
  private static final int MAX_BYTES = 512;
  private static final String MARKS = "(=#";

  /** A key that Spring makes of several arguments does not expose them. */
  private static final @Nullable Field ARGUMENTS =
      ReflectionUtils.findField(SimpleKey.class, "params", Object[].class);

  static {
    if (ARGUMENTS != null) {
      ReflectionUtils.makeAccessible(ARGUMENTS);
    }
  }

  private KeyText() {}

  /**
   * Names a key.
   *
   * @throws IllegalArgumentException if its class has no text of which that is known to be unique
   */
  static String text(Object key) {
    String text = key instanceof SimpleKey simple ? several(arguments(simple)) : one(key);
    return text.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES ? text : "#" + digest(text);
  }

  private static String one(Object key) {
    if (key instanceof List<?> || key.getClass().isArray()) {
      return several(key);
    }
    String text = plain(key);
    return text.isEmpty() || MARKS.indexOf(text.charAt(0)) >= 0 ? "=" + text : text;
  }

  private static String plain(Object key) {
    if (key instanceof Enum<?> constant) {
      return constant.name();
    }
    if (key instanceof CharSequence
        || key instanceof Number
        || key instanceof Boolean
        || key instanceof Character
        || key instanceof UUID
        || key instanceof TemporalAccessor) {
      return key.toString();
    }
    throw new IllegalArgumentException(
        "no cache key can be made of a "
            + key.getClass().getName()
            + ": name a part of it that identifies it, as in key = \"#order.id\"");
  }

  private static String several(Object values) {
    StringBuilder out = new StringBuilder("(");
    if (values instanceof List<?> list) {
      list.forEach(value -> append(out, value));
    } else {
      for (int i = 0; i < Array.getLength(values); i++) {
        append(out, Array.get(values, i));
      }
    }
    return out.append(')').toString();
  }

  private static void append(StringBuilder out, @Nullable Object value) {
    if (value == null) {
      out.append("-");
      return;
    }
    String text = value instanceof SimpleKey simple ? several(arguments(simple)) : one(value);
    out.append(text.length()).append(':').append(text);
  }

  private static Object arguments(SimpleKey key) {
    Object arguments = ARGUMENTS == null ? null : ReflectionUtils.getField(ARGUMENTS, key);
    if (arguments == null) {
      throw new IllegalArgumentException(
          "this Spring hides the arguments of a key: name it, as in key = \"{#a, #b}\"");
    }
    return arguments;
  }

  private static String digest(String text) {
    try {
      byte[] bytes =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
