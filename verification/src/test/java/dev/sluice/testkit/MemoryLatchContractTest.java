package dev.sluice.testkit;

/** The in-memory backend, on a clock that the tests move: count-down latches. */
class MemoryLatchContractTest extends LatchContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
