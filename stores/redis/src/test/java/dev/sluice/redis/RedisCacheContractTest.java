package dev.sluice.redis;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.cache.CacheContract;

/** Redis keeps every promise about guarded caches, on each server of this machine. */
@EachRedis
class RedisCacheContractTest extends CacheContract {
  private final RedisServer server;

  RedisCacheContractTest(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStore(server);
  }
}
