package dev.sluice.redis;

import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.cache.CacheWritingContract;
import org.junit.jupiter.api.Tag;

/** A Redis Cluster keeps the promises about caches that need a store; the rest is the core's. */
@Tag("fleet")
class ClusterCacheContractTest extends CacheWritingContract {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
