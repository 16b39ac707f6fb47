package dev.sluice.redis;

import dev.sluice.testkit.ElectionContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: one leader at a time. */
@Tag("fleet")
@Tag("repeat")
class ClusterElectionContractTest extends ElectionContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
