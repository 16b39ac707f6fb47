package dev.sluice.testkit;

/** The in-memory backend, on a clock that the tests move: stock and its ledger. */
class MemoryInventoryReconcileContractTest extends InventoryReconcileContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
