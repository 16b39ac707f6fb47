package dev.sluice.lock;

/**
 * The reason why a term ended.
 *
 * @since 0.1
 */
public enum StepDown {
  /** The callback returned. */
  RETURNED,
  /** The callback threw. */
  FAILED,
  /** {@link Term#resign()} was called, or the lease was released. */
  RESIGNED,
  /** A renewal was overdue. This process still had the lock, so no other process led yet. */
  IN_DOUBT,
  /** The lease expired, or the store granted the lock to another client. */
  LOST,
  /** The election was closed. */
  CLOSED
}
