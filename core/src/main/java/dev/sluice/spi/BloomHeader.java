package dev.sluice.spi;

import dev.sluice.ForeignDataException;
import dev.sluice.bloom.BloomSpec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The first 64 bytes of every string of a Bloom filter: eight numbers of 64 bits, most significant
 * byte first. The stored format, and how one header follows another. The twin of the scripts is
 * here.
 *
 * @param hashes k
 * @param state what it is good for
 * @param nonce 16 random bits of the generation: two filters of one name that were made within one
 *     microsecond, with a deletion between them, differ in it
 * @param bits m, bits of this string behind the header
 * @param epoch generation: grows with every creation, clearing and rebuild, 1 to 2^53
 * @param partitions strings of the filter
 * @param partition which of them this is
 * @param expectedInsertions elements that the filter was made for
 * @param falsePositiveRate rate that it was made for
 * @param changedAtMicros the store's time when it was made or its state last changed
 * @since 0.1
 */
public record BloomHeader(
    int hashes,
    State state,
    int nonce,
    long bits,
    long epoch,
    long partitions,
    long partition,
    long expectedInsertions,
    double falsePositiveRate,
    long changedAtMicros) {

  /** The state of a generation. */
  public enum State {
    /** Its other partitions are being created. Only the first partition has this state. */
    BUILDING,
    /** In use. */
    READY,
    /** In use; added elements go to the next generation too. */
    REBUILDING;

    private static final State[] ALL = values();
  }

  /** The rule for writing a header over an existing one. */
  public enum Opening {
    /** Only where no header exists, or an abandoned one. */
    CREATE,
    /** Always, as a new generation. */
    RESET,
    /** As a partition of the given generation, unless that or a later one exists. */
    PART
  }

  /** The length of the header in bytes. */
  public static final int BYTES = 64;

  /** The start of the bits. */
  public static final int FIRST_BIT = 8 * BYTES;

  /** The number of numbers in the header. */
  public static final int WORDS = 8;

  /** The time after which an unfinished creation counts as abandoned by its process. */
  public static final long ABANDONED_MICROS = 5_000_000;

  /** {@code SLB} and the number of the format: the upper half of the first word. */
  private static final long MAGIC = 0x534C4201L;

  /** The position of the state in the first word. */
  private static final int STATE_SHIFT = 16;

  private static final long STATE_BITS = 0xFFL << STATE_SHIFT;
  private static final long LOWER_HALF = 0xFFFF_FFFFL;

  /**
   * The header of a new filter.
   *
   * @param spec its size
   * @param state what it is good for at first
   * @return the header of its first partition, without epoch and time
   */
  public static BloomHeader of(BloomSpec spec, State state) {
    return new BloomHeader(
        spec.hashes(),
        state,
        ThreadLocalRandom.current().nextInt(1 << 16),
        spec.bitsPerPartition(),
        0,
        spec.partitions(),
        0,
        spec.expectedInsertions(),
        spec.falsePositiveRate(),
        0);
  }

  /**
   * Returns another partition of the same generation.
   *
   * @param number which, from 1
   * @return its header
   */
  public BloomHeader forPartition(long number) {
    return new BloomHeader(
        hashes,
        State.READY,
        nonce,
        bits,
        epoch,
        partitions,
        number,
        expectedInsertions,
        falsePositiveRate,
        changedAtMicros);
  }

  /** {@return the header of an empty generation of the same size} */
  public BloomHeader anew() {
    return new BloomHeader(
        hashes,
        State.BUILDING,
        ThreadLocalRandom.current().nextInt(1 << 16),
        bits,
        0,
        partitions,
        0,
        expectedInsertions,
        falsePositiveRate,
        0);
  }

  /**
   * Requests a generation later than another one, independent of the store's clock.
   *
   * @param earlier epoch of the other one
   * @return this header, to be opened with
   */
  public BloomHeader after(long earlier) {
    return at(earlier + 1, state, changedAtMicros);
  }

  private BloomHeader at(long newEpoch, State newState, long now) {
    return new BloomHeader(
        hashes,
        newState,
        nonce,
        bits,
        newEpoch,
        partitions,
        partition,
        expectedInsertions,
        falsePositiveRate,
        now);
  }

  /**
   * The content of a string after an opening. Twin: bloom_open.lua.
   *
   * @param stored what stands there now, or null
   * @param opening how
   * @param wanted what to write; its epoch is that of a partition, and the least one otherwise
   * @param now the store's time
   * @return what to write over an empty string, or null to leave all as it is
   */
  public static @Nullable BloomHeader open(
      @Nullable BloomHeader stored, Opening opening, BloomHeader wanted, long now) {
    if (opening == Opening.PART) {
      return stored == null || stored.epoch < wanted.epoch
          ? wanted.at(wanted.epoch, wanted.state, now)
          : null;
    }
    if (opening == Opening.CREATE
        && stored != null
        && (stored.state != State.BUILDING || now - stored.changedAtMicros < ABANDONED_MICROS)) {
      return null;
    }
    long least = Math.max(wanted.epoch, stored == null ? 0 : stored.epoch + 1);
    return wanted.at(Math.max(now, least), wanted.state, now);
  }

  /**
   * Advances a generation: from building to ready, from ready to rebuilding. Twin: bloom_mark.lua.
   *
   * @param markedEpoch the generation that is meant
   * @param newState READY or REBUILDING
   * @param now the store's time
   * @return the new header; this one if another generation is here, or another state
   */
  public BloomHeader mark(long markedEpoch, State newState, long now) {
    boolean follows =
        newState == State.READY
            ? state == State.BUILDING
            : newState == State.REBUILDING && state == State.READY;
    return epoch == markedEpoch && follows ? at(epoch, newState, now) : this;
  }

  /** {@return this header without the next generation} */
  public BloomHeader alone() {
    return state == State.REBUILDING ? at(epoch, State.READY, changedAtMicros) : this;
  }

  /**
   * Returns whether bits of this generation were read or written.
   *
   * @param reply what the store found
   * @return true if they are those that were meant
   */
  public boolean matches(BloomReply reply) {
    return reply.epoch() == epoch && (reply.format() & ~STATE_BITS) == (format() & ~STATE_BITS);
  }

  /**
   * Returns whether another string belongs to the same generation.
   *
   * @param other its header
   * @return true if it was made together with this one
   */
  public boolean isGeneration(BloomHeader other) {
    return epoch == other.epoch && nonce == other.nonce;
  }

  /**
   * Returns whether a filter of the same bits can be merged into this one.
   *
   * @param other another filter
   * @return true if every element has the same bits in both
   */
  public boolean hasLayoutOf(BloomHeader other) {
    return hashes == other.hashes && bits == other.bits && partitions == other.partitions;
  }

  /** {@return the length of the complete string in bytes} */
  public long bytes() {
    return BYTES + (bits + 7) / 8;
  }

  /**
   * The estimated number of elements for a number of set bits.
   *
   * @param set bits that are set in one partition
   * @return the estimate; of a partition that is full, that of one bit less
   */
  public double estimate(long set) {
    double share = Math.min(set, bits - 1) / (double) bits;
    return -(double) bits / hashes * Math.log1p(-share);
  }

  /**
   * The stored form of the header.
   *
   * @param filter name of the filter
   * @return the eight numbers
   */
  public long[] words(String filter) {
    return new long[] {
      format(),
      bits,
      epoch,
      partitions,
      check(filter) << 32 | partition,
      expectedInsertions,
      Double.doubleToLongBits(falsePositiveRate),
      changedAtMicros
    };
  }

  /** A checksum over the name, and over all fields that no script changes. */
  private long check(String filter) {
    CRC32 sum = new CRC32();
    sum.update(filter.getBytes(StandardCharsets.UTF_8));
    ByteBuffer fixed = ByteBuffer.allocate(BYTES);
    fixed.putLong(format() & ~STATE_BITS).putLong(bits).putLong(0).putLong(partitions);
    fixed.putLong(partition).putLong(expectedInsertions).putDouble(falsePositiveRate).putLong(0);
    sum.update(fixed.flip());
    return sum.getValue();
  }

  /** Returns whether k and m follow from n, p and P. Another JVM may have rounded differently. */
  private boolean isSizedForItsElements() {
    BloomSpec widest;
    try {
      widest =
          BloomSpec.of(1, falsePositiveRate)
              .maxPartitionBits(BloomSpec.MAX_PARTITION_BITS)
              .expectedInsertions(expectedInsertions);
    } catch (IllegalArgumentException e) {
      return false;
    }
    double each = (double) widest.partitions() * widest.bitsPerPartition() / partitions;
    double roundings = 2 + (double) widest.partitions() / partitions + 1e-9 * bits;
    return partitions > 0
        && hashes == widest.hashes()
        && Math.abs(bits - Math.max(BloomSpec.MIN_PARTITION_BITS, each)) <= roundings;
  }

  /** {@return the first of the eight numbers} */
  public long format() {
    return MAGIC << 32 | (long) hashes << 24 | (long) state.ordinal() << STATE_SHIFT | nonce;
  }

  /**
   * Reads a header.
   *
   * @param words the eight numbers
   * @param part whose they should be
   * @param where what to call the place in a message
   * @return the header, or null if all numbers are 0: there is no string, or only bits that were
   *     set after it had gone
   * @throws ForeignDataException if Sluice did not write it, if it is of another part, or damaged
   */
  public static @Nullable BloomHeader read(long[] words, BloomPart part, String where) {
    boolean empty = true;
    for (long word : words) {
      empty &= word == 0;
    }
    if (empty) {
      return null;
    }
    if (!isOurs(words[0])) {
      throw new ForeignDataException(
          where
              + " does not begin with the header of a Bloom filter that this version of Sluice"
              + " reads; look at it and remove it",
          null);
    }
    BloomHeader read =
        new BloomHeader(
            hashesOf(words[0]),
            stateOf(words[0]),
            (int) (words[0] & 0xFFFF),
            words[1],
            words[2],
            words[3],
            words[4] & LOWER_HALF,
            words[5],
            Double.longBitsToDouble(words[6]),
            words[7]);
    if (read.partition != part.partition()
        || read.check(part.filter()) != words[4] >>> 32
        || !read.isSizedForItsElements()) {
      throw new ForeignDataException(
          where
              + " has the header of another Bloom filter, or a damaged one; look at it and remove"
              + " it",
          null);
    }
    return read;
  }

  static boolean isOurs(long format) {
    return format >>> 32 == MAGIC
        && hashesOf(format) > 0
        && (format >>> STATE_SHIFT & 0xFF) < State.ALL.length;
  }

  static State stateOf(long format) {
    int code = (int) (format >>> STATE_SHIFT & 0xFF);
    return code < State.ALL.length ? State.ALL[code] : State.BUILDING;
  }

  private static int hashesOf(long format) {
    return (int) (format >>> 24 & 0xFF);
  }
}
