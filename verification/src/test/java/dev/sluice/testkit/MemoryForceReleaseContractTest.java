package dev.sluice.testkit;

/** The in-memory backend, on a clock that the tests move: a lock is taken from its holder. */
class MemoryForceReleaseContractTest extends ForceReleaseContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
