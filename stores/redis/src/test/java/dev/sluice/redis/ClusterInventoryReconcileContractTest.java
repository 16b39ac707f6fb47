package dev.sluice.redis;

import dev.sluice.testkit.InventoryReconcileContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: limited stock and its ledger. */
@Tag("fleet")
@Tag("repeat")
class ClusterInventoryReconcileContractTest extends InventoryReconcileContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
