package dev.sluice.spi;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The operations of Bloom filters: each is one atomic step on one string, whose first bytes are a
 * {@link BloomHeader} and whose bits are numbered as in Redis, the highest bit of a byte first. No
 * call blocks; failures are those of {@link GrantBackend}, and {@link
 * dev.sluice.ForeignDataException} for what is not a string, or not one of Sluice where the header
 * is read.
 *
 * @since 0.1
 */
public interface BloomBackend {

  /**
   * Reads or sets bits, and reads the header's first number and its epoch. Whether the header is
   * the one that was meant is for the caller to see; bits may have been set in a string without
   * one.
   *
   * @param touch what to touch
   * @return what was found
   */
  CompletionStage<BloomReply> touch(BloomTouch touch);

  /**
   * Reads a header.
   *
   * @param part which string
   * @return the header, or null if there is none
   */
  CompletionStage<@Nullable BloomHeader> header(BloomPart part);

  /**
   * Writes a header over an empty string by the rule of {@link BloomHeader#open}. What expired
   * keeps doing so.
   *
   * @param part which string
   * @param opening when to write
   * @param wanted what to write
   * @return whether it was written, and what stands there now
   */
  CompletionStage<Opened> open(BloomPart part, BloomHeader.Opening opening, BloomHeader wanted);

  /**
   * The result of opening a string.
   *
   * @param written whether the string was created
   * @param header what stands there now
   */
  record Opened(boolean written, BloomHeader header) {}

  /**
   * Changes the state of a generation by the rule of {@link BloomHeader#mark}.
   *
   * @param part which string
   * @param epoch the generation that is meant
   * @param state the state to be
   * @return the generation that stands there, 0 for none
   */
  CompletionStage<Long> mark(BloomPart part, long epoch, BloomHeader.State state);

  /**
   * Replaces a partition by its next generation, if both are the expected ones. It expires when the
   * old one would have.
   *
   * @param filter name of the filter
   * @param partition which partition
   * @param nextEpoch the next generation
   * @param presentEpoch the one in use, 0 for none; one that was deleted meanwhile is no obstacle,
   *     except for the first partition, whose header is that of the filter
   * @return whether it was done
   */
  CompletionStage<Boolean> promote(
      String filter, long partition, long nextEpoch, long presentEpoch);

  /**
   * Deletes a next generation, and clears the flag in the one in use. Does nothing if another one
   * is there.
   *
   * @param filter name of the filter
   * @param partition which partition
   * @param nextEpoch the next generation
   * @return completes when it is done
   */
  CompletionStage<Void> abandon(String filter, long partition, long nextEpoch);

  /**
   * Allocates a string up to a byte, without changing it.
   *
   * @param part which string
   * @param bytes length to reach, at least the header's
   * @return completes when it is done
   */
  CompletionStage<Void> reserve(BloomPart part, long bytes);

  /**
   * Counts set bits.
   *
   * @param part which string
   * @param fromByte first byte
   * @param toByte byte behind the last
   * @return how many
   */
  CompletionStage<Long> count(BloomPart part, long fromByte, long toByte);

  /**
   * Reads bytes.
   *
   * @param part which string
   * @param fromByte first byte
   * @param toByte byte behind the last
   * @return the bytes, fewer where the string ends
   */
  CompletionStage<byte[]> read(BloomPart part, long fromByte, long toByte);

  /**
   * Sets the given bits, if the generation is the expected one and no next one is being built.
   *
   * @param part which string
   * @param epoch the generation
   * @param fromByte where the bytes belong
   * @param bytes the bytes
   * @return whether it was done
   */
  CompletionStage<Boolean> merge(BloomPart part, long epoch, long fromByte, byte[] bytes);

  /**
   * Removes a string without a header: bits that were set after its removal.
   *
   * @param part which string
   * @return completes when it is done
   */
  CompletionStage<Void> sweep(BloomPart part);

  /**
   * Removes a string of a filter.
   *
   * @param part which string
   * @return whether there was one
   */
  CompletionStage<Boolean> drop(BloomPart part);

  /**
   * Sets the expiry of a string.
   *
   * @param part which string
   * @param millis time from now, at least 1
   * @return whether there is one
   */
  CompletionStage<Boolean> expire(BloomPart part, long millis);

  /**
   * The expiry of a string.
   *
   * @param part which string
   * @return milliseconds from now; -1: never; -2: there is none
   */
  CompletionStage<Long> timeToLive(BloomPart part);
}
