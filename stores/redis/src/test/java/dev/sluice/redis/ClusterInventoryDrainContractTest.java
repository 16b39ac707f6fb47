package dev.sluice.redis;

import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.inventory.StockDrains;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: drains of limited stock. */
@Tag("fleet")
class ClusterInventoryDrainContractTest extends ContractFixture implements StockDrains {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
