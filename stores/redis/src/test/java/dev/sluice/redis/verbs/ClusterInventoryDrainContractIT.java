package dev.sluice.redis.verbs;

import dev.sluice.redis.ClusterStore;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.inventory.StockDrains;

/** A Redis Cluster: drains of limited stock. */
class ClusterInventoryDrainContractIT extends ContractFixture implements StockDrains {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
