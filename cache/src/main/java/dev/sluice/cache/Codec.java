package dev.sluice.cache;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Converts values to bytes and back. Must be safe for use by many threads.
 *
 * @param <V> values
 * @since 0.1
 */
public interface Codec<V> {

  /**
   * Writes a value.
   *
   * @param value the value
   * @return its bytes, not to be changed any more
   */
  byte[] encode(V value);

  /**
   * Reads a value.
   *
   * @param bytes what {@link #encode} wrote, perhaps in another version of the application
   * @return the value
   * @throws RuntimeException if these are not its bytes; the cache then counts a miss
   */
  V decode(byte[] bytes);

  /** {@return bytes unchanged; arrays are not copied and must not be modified} */
  static Codec<byte[]> bytes() {
    return new Codec<>() {
      @Override
      public byte[] encode(byte[] value) {
        return value;
      }

      @Override
      public byte[] decode(byte[] bytes) {
        return bytes;
      }
    };
  }

  /** {@return text as UTF-8; malformed text is refused in both directions} */
  static Codec<String> utf8() {
    return new Codec<>() {
      @Override
      public byte[] encode(String value) {
        try {
          ByteBuffer out =
              StandardCharsets.UTF_8
                  .newEncoder()
                  .onMalformedInput(CodingErrorAction.REPORT)
                  .encode(CharBuffer.wrap(value));
          byte[] bytes = new byte[out.remaining()];
          out.get(bytes);
          return bytes;
        } catch (CharacterCodingException e) {
          throw new IllegalArgumentException("text must be valid Unicode: lone surrogate", e);
        }
      }

      @Override
      public String decode(byte[] bytes) {
        try {
          return StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(bytes))
              .toString();
        } catch (CharacterCodingException e) {
          throw new IllegalArgumentException("not UTF-8", e);
        }
      }
    };
  }
}
