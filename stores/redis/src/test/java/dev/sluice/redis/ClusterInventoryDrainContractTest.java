package dev.sluice.redis;

import dev.sluice.testkit.InventoryDrainContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: drains of limited stock. */
@Tag("fleet")
class ClusterInventoryDrainContractTest extends InventoryDrainContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
