package dev.sluice.testkit;

import dev.sluice.testkit.latch.Latches;

/** The in-memory backend, on a clock that the tests move: count-down latches. */
class MemoryLatchContractTest extends ContractFixture implements Latches {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
