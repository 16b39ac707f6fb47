package dev.sluice.testkit;

/** The in-memory backend, on the JVM's clock and timer: one leader at a time. */
class MemoryRealTimeElectionContractTest extends MemoryElectionContractTest {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
