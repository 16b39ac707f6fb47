package dev.sluice.redis.verbs;

import dev.sluice.redis.ClusterStore;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.bloom.BloomFilters;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster keeps every promise about Bloom filters. */
@Tag("full")
class ClusterBloomContractIT extends ContractFixture implements BloomFilters {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
