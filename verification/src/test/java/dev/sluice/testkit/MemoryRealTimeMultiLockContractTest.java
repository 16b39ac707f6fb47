package dev.sluice.testkit;

/** The in-memory backend, on the JVM's clock and timer: several locks as one. */
class MemoryRealTimeMultiLockContractTest extends MemoryMultiLockContractTest {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
