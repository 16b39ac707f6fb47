package dev.sluice.redis.verbs;

import dev.sluice.redis.ClusterStore;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.Semaphores;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster: semaphores. */
@Tag("full")
class ClusterSemaphoreContractIT extends ContractFixture implements Semaphores {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
