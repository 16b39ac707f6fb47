package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.ReadWriteLocks;
import org.junit.jupiter.api.Tag;

/** A master whose replica must confirm: read-write locks. */
@Tag("full")
class ReplicatedReadWriteContractIT extends ContractFixture implements ReadWriteLocks {
  @Override
  protected StoreUnderTest openStore() {
    return RedisStoreUnderTest.whoseReplicasConfirm();
  }
}
