package dev.sluice.testkit;

/** The exclusive side of a read-write lock in memory, on a clock of the tests. */
class MemoryWriteLockContractTest extends WriteLockContract {
  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
