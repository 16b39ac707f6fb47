package dev.sluice.spi;

/**
 * One string of a Bloom filter at the store.
 *
 * @param filter name of the filter
 * @param partition which of its partitions, from 0; the header of the first is that of the filter
 * @param next whether of the generation that is being built beside the one in use
 * @since 0.1
 */
public record BloomPart(String filter, long partition, boolean next) {

  /**
   * A string of the generation in use.
   *
   * @param filter name of the filter
   * @param partition which partition, from 0
   * @return the string
   */
  public static BloomPart of(String filter, long partition) {
    return new BloomPart(filter, partition, false);
  }
}
