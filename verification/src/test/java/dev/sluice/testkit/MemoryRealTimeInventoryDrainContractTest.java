package dev.sluice.testkit;

/** The in-memory backend, on the JVM's clock and timer: drains of limited stock. */
class MemoryRealTimeInventoryDrainContractTest extends MemoryInventoryDrainContractTest {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
