package dev.sluice.testkit;

/** The in-memory backend, on the JVM's clock and timer: limited stock. */
class MemoryRealTimeInventoryContractTest extends InventoryContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
