package dev.sluice.redis;

import dev.sluice.testkit.CacheContract;
import dev.sluice.testkit.StoreUnderTest;

/** A Redis Cluster keeps every promise about caches. */
class ClusterCacheContractTest extends CacheContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
