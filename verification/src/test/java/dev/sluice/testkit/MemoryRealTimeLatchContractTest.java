package dev.sluice.testkit;

/** The in-memory backend, on the JVM's clock and timer: count-down latches. */
class MemoryRealTimeLatchContractTest extends MemoryLatchContractTest {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
