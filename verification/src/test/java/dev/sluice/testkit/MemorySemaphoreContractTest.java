package dev.sluice.testkit;

import dev.sluice.testkit.lock.Semaphores;

/** Semaphores in memory, on a clock of the tests. */
class MemorySemaphoreContractTest extends ContractFixture implements Semaphores {
  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
