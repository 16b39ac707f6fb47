package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.cache.CacheBadInput;
import dev.sluice.testkit.cache.CacheOutages;
import dev.sluice.testkit.cache.CachedValues;
import dev.sluice.testkit.cache.NearCopies;
import dev.sluice.testkit.cache.RefreshAndStale;
import dev.sluice.testkit.cache.SingleLoads;
import dev.sluice.testkit.cache.WritesDuringLoads;

/** Redis keeps every promise about guarded caches, on each server of this machine. */
@EachRedis
class RedisCacheContractIT extends ContractFixture
    implements CachedValues,
        SingleLoads,
        RefreshAndStale,
        WritesDuringLoads,
        CacheOutages,
        NearCopies,
        CacheBadInput {
  private final RedisServer server;

  RedisCacheContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return RedisStoreUnderTest.inRealTime(server);
  }
}
