package dev.sluice.redis.verbs;

import dev.sluice.redis.ClusterStore;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.inventory.StockReconciliation;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: limited stock and its ledger. */
@Tag("full")
class ClusterInventoryReconcileContractIT extends ContractFixture implements StockReconciliation {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
