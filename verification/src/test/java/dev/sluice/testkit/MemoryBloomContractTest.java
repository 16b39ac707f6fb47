package dev.sluice.testkit;

/**
 * The in-memory backend keeps every promise about Bloom filters, on a clock that the tests move.
 */
class MemoryBloomContractTest extends BloomContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
