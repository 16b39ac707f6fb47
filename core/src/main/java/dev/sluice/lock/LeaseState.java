package dev.sluice.lock;

/**
 * The state of a lease as its holder sees it.
 *
 * @since 0.1
 */
public enum LeaseState {
  /** The lease is ours: the store confirmed it and its time is not over. */
  HELD,
  /** A renewal is overdue. The lease is still ours, but its end is near: start nothing new. */
  IN_DOUBT,
  /** The lease ended without a release by this process. Another client may hold the lock by now. */
  LOST,
  /** We gave the lease back. */
  RELEASED
}
