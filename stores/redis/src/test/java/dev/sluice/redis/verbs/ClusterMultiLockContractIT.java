package dev.sluice.redis.verbs;

import dev.sluice.redis.ClusterStore;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.MultiLockLoss;
import dev.sluice.testkit.lock.MultiLocks;

/** A Redis Cluster: several locks as one, on several servers at once. */
class ClusterMultiLockContractIT extends ContractFixture implements MultiLocks, MultiLockLoss {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
