package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.Exclusion;
import dev.sluice.testkit.lock.Fencing;
import dev.sluice.testkit.lock.GivingUp;
import dev.sluice.testkit.lock.HandOff;
import dev.sluice.testkit.lock.Leases;
import dev.sluice.testkit.lock.OwnGrant;
import dev.sluice.testkit.lock.Queueing;
import dev.sluice.testkit.lock.UnknownOutcomes;
import dev.sluice.testkit.lock.Waiting;
import org.junit.jupiter.api.Tag;

/** A master whose replica must confirm: locks. */
@Tag("full")
class ReplicatedLockContractIT extends ContractFixture
    implements Exclusion,
        Fencing,
        OwnGrant,
        Leases,
        UnknownOutcomes,
        Waiting,
        GivingUp,
        HandOff,
        Queueing {
  @Override
  protected StoreUnderTest openStore() {
    return RedisStoreUnderTest.whoseReplicasConfirm();
  }
}
