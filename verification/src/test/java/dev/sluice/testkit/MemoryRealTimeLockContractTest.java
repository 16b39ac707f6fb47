package dev.sluice.testkit;

import dev.sluice.testkit.lock.HandOff;
import dev.sluice.testkit.lock.Leases;
import dev.sluice.testkit.lock.Waiting;

/** The effect of time on a lock, on the JVM's clock and timer. */
class MemoryRealTimeLockContractTest extends ContractFixture implements Leases, Waiting, HandOff {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
