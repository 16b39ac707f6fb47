package dev.sluice.lock;

/**
 * The order of waiters of a read-write lock.
 *
 * @since 0.1
 */
public enum ReadWriteOrder {
  /** Readers and writers in order of arrival. */
  FAIR,

  /** Writers before readers, each in order of arrival. */
  WRITERS_FIRST
}
