package dev.sluice.redis;

import dev.sluice.testkit.SemaphoreContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: semaphores. */
@Tag("fleet")
@Tag("repeat")
class ClusterSemaphoreContractTest extends SemaphoreContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
