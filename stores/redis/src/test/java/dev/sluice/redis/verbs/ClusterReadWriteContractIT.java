package dev.sluice.redis.verbs;

import dev.sluice.redis.ClusterStore;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.ReadWriteLocks;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: read-write locks. */
@Tag("full")
class ClusterReadWriteContractIT extends ContractFixture implements ReadWriteLocks {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
