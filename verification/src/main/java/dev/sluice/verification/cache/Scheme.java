package dev.sluice.verification.cache;

/** The scheme by which readers and writers keep a cache and a database together. */
public enum Scheme {
  /** A guarded cache. */
  GUARDED,
  /** Drops the value, writes; readers fill what they miss. */
  DELETE_FIRST,
  /** Writes, drops the value; readers fill what they miss. */
  DELETE_AFTER,
  /** Drops, writes, drops; readers fill what they miss. */
  DOUBLE_DELETE,
  /** Writes, stores what was written; readers fill what they miss. */
  UPDATE_AFTER,
  /** Stores what is being written, commits or not; readers fill what they miss. */
  WRITE_THROUGH
}
