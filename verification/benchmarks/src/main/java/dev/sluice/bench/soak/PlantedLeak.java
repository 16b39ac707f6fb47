package dev.sluice.bench.soak;

/** A leak of our own making, to see it found. */
public enum PlantedLeak {
  /** A thread that waits for ever, ten times a second. */
  THREADS,
  /** Fifty keys without an expiry, ten times a second. */
  KEYS,
  /** A client that is never closed, once a second. */
  CONNECTIONS,
  /** Some 100 KB that stay reachable, ten times a second. */
  HEAP
}
