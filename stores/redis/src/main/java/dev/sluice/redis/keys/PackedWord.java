package dev.sluice.redis.keys;

import java.util.Arrays;

/** A script argument with many values: numbers of a few bytes, and texts after their length. */
public final class PackedWord {
  private byte[] bytes;
  private int at;

  /**
   * An empty word.
   *
   * @param size how many bytes to expect
   */
  public PackedWord(int size) {
    bytes = new byte[size];
  }

  /**
   * Adds a number.
   *
   * @param size how many bytes it takes, the most significant first
   * @param value not below zero
   */
  public PackedWord number(int size, long value) {
    room(size);
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
      bytes[at++] = (byte) (value >> shift);
    }
    return this;
  }

  /**
   * Adds a text.
   *
   * @param size how many bytes its length takes
   * @param text in UTF-8
   */
  public PackedWord text(int size, String text) {
    byte[] word = Wire.bytes(text);
    if (word.length >= 1L << 8 * size) {
      throw new IllegalArgumentException("a text of " + word.length + " bytes is too long here");
    }
    number(size, word.length);
    room(word.length);
    System.arraycopy(word, 0, bytes, at, word.length);
    at += word.length;
    return this;
  }

  private void room(int more) {
    if (at + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(at + more, 2 * bytes.length));
    }
  }

  public byte[] bytes() {
    return at == bytes.length ? bytes : Arrays.copyOf(bytes, at);
  }
}
