package dev.sluice.lock;

/**
 * A listener for the state of a lease on several names. Calls come on Sluice's callback executor.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface MultiLeaseListener {
  /**
   * Called once for each change of the combined state.
   *
   * @param lease the lease
   * @param state its new state; {@link LeaseState#LOST} and {@link LeaseState#RELEASED} are final
   */
  void onChange(MultiLease lease, LeaseState state);
}
