package dev.sluice.spi;

/**
 * Reads or sets the bits of some elements in one string, and reads the header in the same step.
 *
 * @param part which string
 * @param hashes bits of one element, k
 * @param bits bit numbers from 0, behind the header: k for each element; not to be changed
 * @param set whether to set them
 * @since 0.1
 */
public record BloomTouch(BloomPart part, int hashes, long[] bits, boolean set) {

  /** {@return the number of elements} */
  public int elements() {
    return bits.length / hashes;
  }
}
