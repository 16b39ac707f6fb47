package dev.sluice.bench.systems;

/** The place of a cache's values, and the cache's settings for keys. */
public enum Tier {
  /** Copies in the process, in front of the store. */
  NEAR,
  /** The store alone. */
  STORE,
  /** The store alone, and a Bloom filter of all keys that exist. */
  GUARDED
}
