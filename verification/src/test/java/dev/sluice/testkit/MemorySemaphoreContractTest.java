package dev.sluice.testkit;

/** Semaphores in memory, on a clock of the tests. */
class MemorySemaphoreContractTest extends SemaphoreContract {
  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
