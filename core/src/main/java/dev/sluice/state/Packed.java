package dev.sluice.state;

import java.util.Arrays;

/** Whole numbers of a few bytes each, most significant byte first, one after the other. */
final class Packed {
  private byte[] bytes;
  private int at;

  private Packed(byte[] bytes) {
    this.bytes = bytes;
  }

  static Packed reader(byte[] bytes) {
    return new Packed(bytes);
  }

  static Packed writer(int size) {
    return new Packed(new byte[size]);
  }

  /** Reads the next number; a read past the end throws for foreign data. */
  long next(int size) {
    if (at + size > bytes.length) {
      throw new IndexOutOfBoundsException();
    }
    long value = 0;
    for (int i = 0; i < size; i++) {
      value = value << 8 | (bytes[at++] & 0xFF);
    }
    return value;
  }

  Packed put(int size, long value) {
    if (at + size > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(at + size, 2 * bytes.length));
    }
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
      bytes[at++] = (byte) (value >> shift);
    }
    return this;
  }

  int left() {
    return bytes.length - at;
  }

  byte[] bytes() {
    return at == bytes.length ? bytes : Arrays.copyOf(bytes, at);
  }
}
