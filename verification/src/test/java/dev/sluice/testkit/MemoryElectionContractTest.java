package dev.sluice.testkit;

import dev.sluice.testkit.lock.ElectionOrder;
import dev.sluice.testkit.lock.LeaderElections;

/** The in-memory backend, on a clock that the tests move: one leader at a time. */
class MemoryElectionContractTest extends ContractFixture implements LeaderElections, ElectionOrder {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
