package dev.sluice.redis.keys;

import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheValue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stored value of a cache: a header and the bytes after it, in one string. docs/stored-formats.md
 * has the layout; cache.lua writes the three times.
 *
 * @param bytes null for "known to be absent"
 * @param filledAt in microseconds of the store, as the next two
 * @param keptUntil not served after it
 */
public record StoredValue(
    byte @Nullable [] bytes,
    long filledAt,
    long freshUntil,
    long keptUntil,
    List<String> tags,
    long tagVersion) {

  /** Data of another kind under a key of Sluice. */
  public record Foreign(String what) {}

  /** The longest string that Redis accepts. */
  static final long MAX_BYTES = 512L << 20;

  private static final int MAGIC = 'S' << 16 | 'L' << 8 | 'C';
  private static final int VERSION = 1;
  private static final int ABSENT = 1;
  private static final int SIZE = 35;
  private static final int MAX_SHORT = 0xFFFF;
  private static final byte[] NOTHING = {};

  /** The bytes of a value, which {@link #head} begins. */
  public static byte[] rest(CacheValue value) {
    byte[] bytes = value.bytes();
    return bytes == null ? NOTHING : bytes;
  }

  /**
   * The header of a value, with its times left blank.
   *
   * @throws IllegalArgumentException if the value or its tags do not fit
   */
  public static byte[] head(CacheValue value) {
    List<byte[]> tags = new ArrayList<>(value.tags().size());
    int size = SIZE;
    for (String tag : value.tags()) {
      byte[] bytes = tag.getBytes(StandardCharsets.UTF_8);
      if (bytes.length > MAX_SHORT) {
        throw new IllegalArgumentException(
            "a tag must be at most " + MAX_SHORT + " bytes of UTF-8: it has " + bytes.length);
      }
      tags.add(bytes);
      size += 2 + bytes.length;
    }
    if (tags.size() > MAX_SHORT) {
      throw new IllegalArgumentException(
          "a value must have at most " + MAX_SHORT + " tags: it has " + tags.size());
    }
    checkSize(size, rest(value).length);
    ByteBuffer head = ByteBuffer.allocate(size);
    head.putInt(MAGIC << 8 | VERSION).put((byte) (value.bytes() == null ? ABSENT : 0));
    head.position(26);
    putNumber(head, value.tagVersion());
    head.putShort((short) tags.size());
    for (byte[] tag : tags) {
      head.putShort((short) tag.length).put(tag);
    }
    return head.array();
  }

  /** Refuses a value that Redis would refuse later. */
  public static void checkSize(int head, long bytes) {
    if (head + bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a value must be at most "
              + (MAX_BYTES - head)
              + " bytes, which is 512 MB less its header: it has "
              + bytes);
    }
  }

  private static void putNumber(ByteBuffer out, long number) {
    out.put((byte) (number >>> 48)).putShort((short) (number >>> 32)).putInt((int) number);
  }

  private static long number(ByteBuffer in) {
    return (in.get() & 0xFFL) << 48 | (in.getShort() & 0xFFFFL) << 32 | in.getInt() & 0xFFFF_FFFFL;
  }

  /**
   * Parses a string; copies only the bytes after the header.
   *
   * @return a {@link StoredValue}; null for none and for one of another version; {@link Foreign}
   */
  public static @Nullable Object parse(ByteBuffer in) {
    if (!in.hasRemaining()) {
      return null;
    }
    int start = in.position();
    int word = in.remaining() < 4 ? 0 : in.getInt();
    if (word >>> 8 != MAGIC) {
      return foreign(in, start);
    }
    if ((word & 0xFF) != VERSION) {
      return null;
    }
    if (in.remaining() < SIZE - 4) {
      return foreign(in, start);
    }
    boolean absent = (in.get() & ABSENT) != 0;
    long filledAt = number(in);
    long freshUntil = number(in);
    long keptUntil = number(in);
    long tagVersion = number(in);
    int count = in.getShort() & MAX_SHORT;
    List<String> tags = count == 0 ? List.of() : new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int length = in.remaining() < 2 ? MAX_SHORT : in.getShort() & MAX_SHORT;
      if (in.remaining() < length) {
        return foreign(in, start);
      }
      byte[] tag = new byte[length];
      in.get(tag);
      tags.add(new String(tag, StandardCharsets.UTF_8));
    }
    byte[] bytes = null;
    if (!absent) {
      bytes = new byte[in.remaining()];
      in.get(bytes);
    }
    return new StoredValue(bytes, filledAt, freshUntil, keptUntil, tags, tagVersion);
  }

  private static Foreign foreign(ByteBuffer in, int start) {
    in.position(start);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 40 && in.hasRemaining(); i++) {
      char c = (char) (in.get() & 0xFF);
      text.append(c < ' ' || c > '~' ? '?' : c);
    }
    return new Foreign("text '" + text + "'");
  }

  /**
   * The entry at a time of the store, or at the time of its fill if that is later, because a reader
   * knows the store's time only roughly.
   *
   * @return null if it is not to be served any more
   */
  @Nullable
  public CacheEntry at(long now) {
    long then = Math.max(now, filledAt);
    return then >= keptUntil ? null : new CacheEntry(bytes, freshUntil - then, tags, tagVersion);
  }
}
