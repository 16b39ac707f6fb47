package dev.sluice.redis;

import dev.sluice.testkit.InventoryContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: limited stock. */
@Tag("fleet")
@Tag("repeat")
class ClusterInventoryContractTest extends InventoryContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
