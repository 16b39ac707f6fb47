package dev.sluice.inventory;

import java.util.List;

/**
 * The result of {@link Inventory#reconcile}: differences found, and those repaired.
 *
 * @param orders how many the ledger had
 * @param restored live orders that the store had forgotten; their units are taken again
 * @param settled claims that the store knew in another state than the ledger
 * @param requeued claims that were durable for the store but have no order; they are drained again
 * @param conflicts what could not be repaired, in words: such as a claimant whose order belongs to
 *     another claim. At most 100
 * @since 0.1
 */
public record Reconciliation(
    long orders, long restored, long settled, long requeued, List<String> conflicts) {

  /** Copies the list. */
  public Reconciliation {
    conflicts = List.copyOf(conflicts);
  }

  /** {@return whether store and ledger agreed} */
  public boolean isClean() {
    return restored == 0 && settled == 0 && requeued == 0 && conflicts.isEmpty();
  }
}
