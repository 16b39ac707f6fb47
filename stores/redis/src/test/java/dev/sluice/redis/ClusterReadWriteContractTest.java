package dev.sluice.redis;

import dev.sluice.testkit.ReadWriteContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: read-write locks. */
@Tag("fleet")
@Tag("repeat")
class ClusterReadWriteContractTest extends ReadWriteContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
