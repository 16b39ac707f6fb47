package dev.sluice.testkit;

import dev.sluice.testkit.lock.MultiLockLoss;
import dev.sluice.testkit.lock.MultiLocks;

/** The in-memory backend, on a clock that the tests move: several locks as one. */
class MemoryMultiLockContractTest extends ContractFixture implements MultiLocks, MultiLockLoss {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
