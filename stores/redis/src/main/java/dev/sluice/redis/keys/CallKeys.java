package dev.sluice.redis.keys;

import io.lettuce.core.cluster.SlotHash;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The keys of a script call, as words of a command. They share a hash tag. */
public final class CallKeys {
  private static final int UNKNOWN = -2;
  private static final int NONE = -1;

  private final String name;
  public final int count;

  /** All keys, in the form that Redis reads. */
  public final byte[] words;

  private int slot = UNKNOWN; // racy: everybody computes the same

  /**
   * Encodes the keys.
   *
   * @param name whose keys these are, for people
   * @param keys in order
   */
  public CallKeys(String name, List<String> keys) {
    this.name = name;
    this.count = keys.size();
    byte[][] each = new byte[count][];
    int size = 0;
    for (int i = 0; i < count; i++) {
      each[i] = Wire.bytes(keys.get(i));
      size += Wire.wordSize(each[i]);
    }
    ByteBuf all = Unpooled.wrappedBuffer(new byte[size]).writerIndex(0);
    for (byte[] key : each) {
      Wire.writeWord(all, key);
    }
    this.words = all.array();
  }

  /** The slot of all keys; negative if there are none. */
  public int slot() {
    int known = slot;
    if (known == UNKNOWN) {
      known = count == 0 ? NONE : SlotHash.getSlot(key(1));
      slot = known;
    }
    return known;
  }

  public String name() {
    return name;
  }

  /**
   * The key for messages.
   *
   * @param index as in KEYS, from 1
   */
  public String key(int index) {
    int at = 0;
    for (int i = 1; ; i++) { // $length\r\nbytes\r\n
      int length = 0;
      for (at++; words[at] != '\r'; at++) {
        length = 10 * length + words[at] - '0';
      }
      at += 2;
      if (i == index) {
        return new String(words, at, length, StandardCharsets.UTF_8);
      }
      at += length + 2;
    }
  }
}
