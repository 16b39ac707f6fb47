package dev.sluice.redis;

import dev.sluice.testkit.LimitContract;
import dev.sluice.testkit.StoreUnderTest;

/** A Redis Cluster keeps every promise about rate limits. */
class ClusterLimitContractTest extends LimitContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
