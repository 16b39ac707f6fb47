package dev.sluice.redis.verbs;

import dev.sluice.redis.ClusterStore;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.cache.CachedValues;
import dev.sluice.testkit.cache.RefreshAndStale;
import dev.sluice.testkit.cache.SingleLoads;
import dev.sluice.testkit.cache.WritesDuringLoads;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster keeps the promises about caches that need a store; the rest is the core's. */
@Tag("full")
class ClusterCacheContractIT extends ContractFixture
    implements CachedValues, SingleLoads, RefreshAndStale, WritesDuringLoads {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
