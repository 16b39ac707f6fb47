package dev.sluice.redis;

import dev.sluice.testkit.BloomContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster keeps every promise about Bloom filters. */
@Tag("fleet")
class ClusterBloomContractTest extends BloomContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
