package dev.sluice.testkit;

import dev.sluice.testkit.cache.CacheBadInput;
import dev.sluice.testkit.cache.CacheOutages;
import dev.sluice.testkit.cache.CachedValues;
import dev.sluice.testkit.cache.NearCopies;
import dev.sluice.testkit.cache.RefreshAndStale;
import dev.sluice.testkit.cache.SingleLoads;
import dev.sluice.testkit.cache.WritesDuringLoads;

/**
 * The in-memory backend keeps every promise about guarded caches, on a clock that the tests move.
 */
class MemoryCacheContractTest extends ContractFixture
    implements CachedValues,
        SingleLoads,
        RefreshAndStale,
        WritesDuringLoads,
        CacheOutages,
        NearCopies,
        CacheBadInput {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
