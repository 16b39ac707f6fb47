package dev.sluice.testkit;

import dev.sluice.testkit.lock.ForceRelease;

/** The in-memory backend, on a clock that the tests move: a lock is taken from its holder. */
class MemoryForceReleaseContractTest extends ContractFixture implements ForceRelease {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
