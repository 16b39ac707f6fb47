package dev.sluice.redis;

import dev.sluice.testkit.MultiLockContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: several locks as one, on several servers at once. */
@Tag("fleet")
class ClusterMultiLockContractTest extends MultiLockContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
