package dev.sluice.testkit;

import dev.sluice.testkit.cache.CacheContract;

/**
 * The in-memory backend keeps every promise about guarded caches, on a clock that the tests move.
 */
class MemoryCacheContractTest extends CacheContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
