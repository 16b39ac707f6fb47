package dev.sluice.redis;

import dev.sluice.testkit.LatchContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: count-down latches. */
@Tag("fleet")
@Tag("repeat")
class ClusterLatchContractTest extends LatchContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
