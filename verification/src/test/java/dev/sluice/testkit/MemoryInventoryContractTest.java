package dev.sluice.testkit;

/** The in-memory backend, on a clock that the tests move: limited stock. */
class MemoryInventoryContractTest extends InventoryContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
