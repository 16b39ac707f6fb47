package dev.sluice.testkit;

/** The in-memory backend, on a clock that the tests move: limited stock against the model. */
class MemoryInventoryModelContractTest extends InventoryModelContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
