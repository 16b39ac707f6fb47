package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.MultiLockLoss;
import dev.sluice.testkit.lock.MultiLocks;
import org.junit.jupiter.api.Tag;

/** The master that Sentinels watch: several locks as one. */
@Tag("full")
class SentinelMultiLockContractIT extends ContractFixture implements MultiLocks, MultiLockLoss {
  @Override
  protected StoreUnderTest openStore() {
    return RedisStoreUnderTest.bySentinel();
  }
}
