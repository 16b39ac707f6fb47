package dev.sluice.redis;

import dev.sluice.testkit.LockContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster keeps every promise about locks. */
@Tag("fleet")
class ClusterLockContractTest extends LockContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
