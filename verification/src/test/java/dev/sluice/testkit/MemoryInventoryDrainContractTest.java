package dev.sluice.testkit;

/** The in-memory backend, on a clock that the tests move: drains of limited stock. */
class MemoryInventoryDrainContractTest extends InventoryDrainContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
