package dev.sluice.testkit;

/**
 * The in-memory backend keeps every promise about guarded caches, on a clock that the tests move.
 */
class MemoryCacheContractTest extends CacheContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
