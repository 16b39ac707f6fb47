package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.latch.Latches;
import org.junit.jupiter.api.Tag;

/** A master whose replica must confirm: count-down latches. */
@Tag("full")
class ReplicatedLatchContractIT extends ContractFixture implements Latches {
  @Override
  protected StoreUnderTest openStore() {
    return RedisStoreUnderTest.whoseReplicasConfirm();
  }
}
