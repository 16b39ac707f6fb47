package dev.sluice.lock;

/**
 * The state of a lease, according to its holder.
 *
 * @since 0.1
 */
public enum LeaseState {
  /** The lease is held: the store confirmed it and it has not expired. */
  HELD,
  /** A renewal is overdue. The lease is still held, but its end is near: start nothing new. */
  IN_DOUBT,
  /** The lease ended without a release by this process. Another client may hold the lock by now. */
  LOST,
  /** The lease was released by its holder. */
  RELEASED
}
