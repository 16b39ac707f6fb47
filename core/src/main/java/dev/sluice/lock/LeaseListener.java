package dev.sluice.lock;

/**
 * A listener for the state of a lease. It is called once for each change, in order, on Sluice's
 * callback executor.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LeaseListener {
  /**
   * Called once for each change of state, including one before the listener was added.
   *
   * @param lease the lease
   * @param state its new state: {@link LeaseState#IN_DOUBT}, {@link LeaseState#HELD} again after a
   *     late renewal, {@link LeaseState#LOST} or {@link LeaseState#RELEASED}; the last two are
   *     final
   */
  void onChange(Lease lease, LeaseState state);
}
