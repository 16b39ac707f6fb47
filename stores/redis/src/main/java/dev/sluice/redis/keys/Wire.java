package dev.sluice.redis.keys;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Words of a command in wire form: {@code $length\r\nbytes\r\n}. */
public final class Wire {
  private Wire() {}

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  public static String bulk(String word) {
    return "$" + bytes(word).length + "\r\n" + word + "\r\n";
  }

  public static void writeCount(ByteBuf out, int words) {
    out.writeByte('*');
    writeDigits(out, words);
    writeEnd(out);
  }

  public static void writeWord(ByteBuf out, byte[] word) {
    out.writeByte('$');
    writeDigits(out, word.length);
    writeEnd(out);
    out.writeBytes(word);
    writeEnd(out);
  }

  /** Writes one word that consists of two segments. */
  public static void writeWord(ByteBuf out, byte[] start, byte[] rest) {
    // all of it: growing later would copy a long word
    out.ensureWritable(start.length + rest.length + 16);
    out.writeByte('$');
    writeDigits(out, start.length + rest.length);
    writeEnd(out);
    out.writeBytes(start);
    out.writeBytes(rest);
    writeEnd(out);
  }

  /** The number of bytes of a word. */
  static int wordSize(byte[] word) {
    return 1 + digits(word.length) + 2 + word.length + 2;
  }

  public static void writeWord(ByteBuf out, long number) {
    out.writeByte('$');
    writeDigits(out, digits(number));
    writeEnd(out);
    writeDigits(out, number);
    writeEnd(out);
  }

  private static void writeEnd(ByteBuf out) {
    out.writeShort('\r' << 8 | '\n');
  }

  private static int digits(long number) {
    int digits = number < 0 ? 2 : 1;
    for (long rest = number / 10; rest != 0; rest /= 10) {
      digits++;
    }
    return digits;
  }

  private static void writeDigits(ByteBuf out, long number) {
    if (number < 0) {
      out.writeCharSequence(Long.toString(number), StandardCharsets.US_ASCII);
      return;
    }
    int count = digits(number);
    int at = out.writerIndex();
    out.ensureWritable(count);
    long rest = number;
    for (int i = count - 1; i >= 0; i--) {
      out.setByte(at + i, '0' + (int) (rest % 10));
      rest /= 10;
    }
    out.writerIndex(at + count);
  }
}
