package dev.sluice.redis;

import dev.sluice.testkit.LimitQueueContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/**
 * A Redis Cluster keeps the promises about rate limits that need a store; the rest is the core's.
 */
@Tag("fleet")
class ClusterLimitContractTest extends LimitQueueContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
