package dev.sluice.lock;

/**
 * The order of waiters of a read-write lock.
 *
 * @since 0.1
 */
public enum ReadWriteOrder {
  /** Who came first, reader or writer. */
  FAIR,

  /** Writers before readers, and each in the order they came. */
  WRITERS_FIRST
}
