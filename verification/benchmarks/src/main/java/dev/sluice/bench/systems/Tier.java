package dev.sluice.bench.systems;

/** Where a cache keeps its values, and its settings about keys. */
public enum Tier {
  /** Copies in the process, in front of the store. */
  NEAR,
  /** The store alone. */
  STORE,
  /** The store alone, and a Bloom filter of all keys that exist. */
  GUARDED
}
