package dev.sluice.zookeeper;

import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
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
import org.junit.jupiter.api.parallel.Execution;

@Execution(CONCURRENT)
class ZooKeeperLockContractIT extends ContractFixture
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
    return SharedServers.store();
  }
}
