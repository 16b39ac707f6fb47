package dev.sluice.testkit;

/** The in-memory backend keeps every promise, on a clock that the tests move. */
class MemoryLockContractTest extends LockContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
