package dev.sluice.bench.run;

/** What callers do with a Bloom filter. */
public enum Task {
  /** Asking for an element that is there. */
  CHECK,
  /** Adding an element. */
  ADD,
  /** Asking for a hundred elements in one call. */
  CHECK_100,
  /** Adding a hundred elements in one call. */
  ADD_100
}
