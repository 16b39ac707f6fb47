package dev.sluice.bench.systems;

import java.util.List;

/**
 * A Bloom filter as callers use it. Safe for use by many threads.
 *
 * @param check whether an element may be there
 * @param add adds an element; whether it was new
 * @param addAll adds elements in one call; how many were new
 * @param countMaybe asks for elements in one call; how many may be there
 */
public record Elements(KeyedCall check, KeyedCall add, Bulk addAll, Bulk countMaybe) {
  /** A call with many elements. */
  public interface Bulk {
    /** Makes it, and counts. */
    long call(List<String> elements);
  }
}
