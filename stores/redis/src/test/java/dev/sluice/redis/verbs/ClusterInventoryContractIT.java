package dev.sluice.redis.verbs;

import dev.sluice.redis.ClusterStore;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.inventory.StockClaims;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: limited stock. */
@Tag("full")
class ClusterInventoryContractIT extends ContractFixture implements StockClaims {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
