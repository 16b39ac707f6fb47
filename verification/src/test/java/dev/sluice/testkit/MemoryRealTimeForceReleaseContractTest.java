package dev.sluice.testkit;

/** The in-memory backend, on the JVM's clock and timer: a lock is taken from its holder. */
class MemoryRealTimeForceReleaseContractTest extends MemoryForceReleaseContractTest {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
