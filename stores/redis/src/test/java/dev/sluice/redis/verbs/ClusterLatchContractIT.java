package dev.sluice.redis.verbs;

import dev.sluice.redis.ClusterStore;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.latch.Latches;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: count-down latches. */
@Tag("full")
class ClusterLatchContractIT extends ContractFixture implements Latches {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
