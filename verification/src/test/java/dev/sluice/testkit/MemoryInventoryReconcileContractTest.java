package dev.sluice.testkit;

import dev.sluice.testkit.inventory.StockReconciliation;

/** The in-memory backend, on a clock that the tests move: stock and its ledger. */
class MemoryInventoryReconcileContractTest extends ContractFixture implements StockReconciliation {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
