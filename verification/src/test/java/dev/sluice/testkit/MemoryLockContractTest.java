package dev.sluice.testkit;

import dev.sluice.testkit.lock.DelayedRelease;
import dev.sluice.testkit.lock.Exclusion;
import dev.sluice.testkit.lock.Fencing;
import dev.sluice.testkit.lock.GivingUp;
import dev.sluice.testkit.lock.HandOff;
import dev.sluice.testkit.lock.Leases;
import dev.sluice.testkit.lock.OwnGrant;
import dev.sluice.testkit.lock.Queueing;
import dev.sluice.testkit.lock.Reentrancy;
import dev.sluice.testkit.lock.UnknownOutcomes;
import dev.sluice.testkit.lock.Waiting;

/** The in-memory backend keeps every promise, on a clock that the tests move. */
class MemoryLockContractTest extends ContractFixture
    implements Exclusion,
        Fencing,
        OwnGrant,
        Leases,
        UnknownOutcomes,
        Waiting,
        GivingUp,
        HandOff,
        Reentrancy,
        Queueing,
        DelayedRelease {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
