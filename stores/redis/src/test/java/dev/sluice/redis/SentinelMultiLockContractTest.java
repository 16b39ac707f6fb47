package dev.sluice.redis;

import dev.sluice.testkit.MultiLockContract;
import dev.sluice.testkit.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** The master that Sentinels watch: several locks as one. */
@Tag("fleet")
@Tag("repeat")
class SentinelMultiLockContractTest extends MultiLockContract {
  @Override
  protected StoreUnderTest openStore() {
    return RedisStore.bySentinel();
  }
}
