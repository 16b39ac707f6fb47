package dev.sluice.testkit;

/** The in-memory backend, on the JVM's clock and timer: drains of limited stock. */
class MemoryRealTimeInventoryDrainContractTest extends InventoryDrainContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
