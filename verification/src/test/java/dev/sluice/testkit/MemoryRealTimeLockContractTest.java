package dev.sluice.testkit;

/** The in-memory backend keeps every promise on the JVM's clock and timer. */
class MemoryRealTimeLockContractTest extends MemoryLockContractTest {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
