package dev.sluice.testkit;

import dev.sluice.testkit.inventory.StockClaims;

/** The in-memory backend, on a clock that the tests move: limited stock. */
class MemoryInventoryContractTest extends ContractFixture implements StockClaims {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
