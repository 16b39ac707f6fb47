package dev.sluice.testkit;

import dev.sluice.testkit.lock.ReadWriteLocks;

/** Read-write locks in memory, on a clock of the tests. */
class MemoryReadWriteContractTest extends ContractFixture implements ReadWriteLocks {
  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
