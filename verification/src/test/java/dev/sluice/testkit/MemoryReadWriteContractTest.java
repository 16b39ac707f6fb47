package dev.sluice.testkit;

/** Read-write locks in memory, on a clock of the tests. */
class MemoryReadWriteContractTest extends ReadWriteContract {
  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
