package dev.sluice.bloom;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Converts an element to bytes. Equal elements must give equal bytes, in every process and every
 * version of the program that uses the filter: other bytes are another element. Never Java
 * serialisation, whose bytes change with the class.
 *
 * @param <T> type of the elements
 * @since 0.1
 */
@FunctionalInterface
public interface Funnel<T> {

  /**
   * The bytes of an element. Must be safe for use by many threads.
   *
   * @param element not null
   * @return its bytes, of any number, also none
   */
  byte[] bytes(T element);

  /** {@return text as UTF-8; a lone surrogate counts as a question mark} */
  static Funnel<String> utf8() {
    return text -> text.getBytes(StandardCharsets.UTF_8);
  }

  /** {@return a number as eight bytes, most significant first} */
  static Funnel<Long> longs() {
    return number -> ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  /** {@return bytes unchanged} */
  static Funnel<byte[]> bytes() {
    return bytes -> requireNonNull(bytes, "element must not be null");
  }

  /** {@return a UUID as the sixteen bytes of its text form} */
  static Funnel<UUID> uuid() {
    return id ->
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits())
            .array();
  }
}
