package dev.sluice.bloom;

import java.time.Duration;
import java.util.Optional;

/**
 * A snapshot of the store's data about a filter. Numbers of a filter in use: they were true one
 * after the other, not all at one instant.
 *
 * @param name the filter
 * @param expectedInsertions elements it was made for
 * @param falsePositiveRate rate it was made for
 * @param hashes bits of one element, k
 * @param bitsPerPartition bits of one key, m
 * @param partitions how many keys
 * @param missingPartitions keys that are gone, evicted or expired: all elements of theirs answer
 *     "maybe", and cannot be added
 * @param bitsSet bits that are set, of all partitions that are there
 * @param approximateCount elements by the bits that are set
 * @param currentFalsePositiveRate the rate that these bits give
 * @param generation grows with every creation, clearing and rebuild
 * @param rebuilding whether a new generation is being built beside it
 * @param timeToLive until the first partition expires; empty: for ever
 * @since 0.1
 */
public record BloomInfo(
    String name,
    long expectedInsertions,
    double falsePositiveRate,
    int hashes,
    long bitsPerPartition,
    long partitions,
    long missingPartitions,
    long bitsSet,
    long approximateCount,
    double currentFalsePositiveRate,
    long generation,
    boolean rebuilding,
    Optional<Duration> timeToLive) {

  /** {@return the share of set bits in the existing partitions, 0 to 1} */
  public double fill() {
    double bits = (double) bitsPerPartition * (partitions - missingPartitions);
    return bits == 0 ? 0 : bitsSet / bits;
  }
}
