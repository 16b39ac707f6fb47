package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.Semaphores;
import org.junit.jupiter.api.Tag;

/** The master that Sentinels watch: semaphores. */
@Tag("full")
class SentinelSemaphoreContractIT extends ContractFixture implements Semaphores {
  @Override
  protected StoreUnderTest openStore() {
    return RedisStoreUnderTest.bySentinel();
  }
}
