package dev.sluice.testkit;

/** The in-memory backend, on a clock that the tests move: one leader at a time. */
class MemoryElectionContractTest extends ElectionContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
