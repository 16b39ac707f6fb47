package dev.sluice.testkit;

/** The in-memory backend, on the JVM's clock and timer: limited stock. */
class MemoryRealTimeInventoryContractTest extends MemoryInventoryContractTest {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
