package dev.sluice.redis;

import dev.sluice.testkit.SemaphoreContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** The master that Sentinels watch: semaphores. */
@Tag("fleet")
@Tag("repeat")
class SentinelSemaphoreContractTest extends SemaphoreContract {
  @Override
  protected StoreUnderTest openStore() {
    return RedisStore.bySentinel();
  }
}
