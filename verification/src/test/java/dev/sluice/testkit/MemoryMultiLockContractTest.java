package dev.sluice.testkit;

/** The in-memory backend, on a clock that the tests move: several locks as one. */
class MemoryMultiLockContractTest extends MultiLockContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
