package dev.sluice.redis;

import dev.sluice.testkit.LockContract;
import dev.sluice.testkit.StoreUnderTest;

/** A Redis Cluster keeps every promise about locks. */
class ClusterLockContractTest extends LockContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
