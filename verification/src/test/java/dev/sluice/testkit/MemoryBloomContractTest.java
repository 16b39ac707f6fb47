package dev.sluice.testkit;

import dev.sluice.testkit.bloom.BloomFilters;

/**
 * The in-memory backend keeps every promise about Bloom filters, on a clock that the tests move.
 */
class MemoryBloomContractTest extends ContractFixture implements BloomFilters {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
