package dev.sluice.redis;

import dev.sluice.testkit.ReadWriteContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** The master that Sentinels watch: read-write locks. */
@Tag("fleet")
@Tag("repeat")
class SentinelReadWriteContractTest extends ReadWriteContract {
  @Override
  protected StoreUnderTest openStore() {
    return RedisStore.bySentinel();
  }
}
