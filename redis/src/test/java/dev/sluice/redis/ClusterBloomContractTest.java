package dev.sluice.redis;

import dev.sluice.testkit.BloomContract;
import dev.sluice.testkit.StoreUnderTest;

/** A Redis Cluster keeps every promise about Bloom filters. */
class ClusterBloomContractTest extends BloomContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
