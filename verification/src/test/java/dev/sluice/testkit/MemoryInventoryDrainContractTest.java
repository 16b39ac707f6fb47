package dev.sluice.testkit;

import dev.sluice.testkit.inventory.StockDrains;

/** The in-memory backend, on a clock that the tests move: drains of limited stock. */
class MemoryInventoryDrainContractTest extends ContractFixture implements StockDrains {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
