package dev.sluice.testkit;

import dev.sluice.testkit.inventory.StockHistories;

/** The in-memory backend, on a clock that the tests move: limited stock against the model. */
class MemoryInventoryModelContractTest extends ContractFixture implements StockHistories {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
