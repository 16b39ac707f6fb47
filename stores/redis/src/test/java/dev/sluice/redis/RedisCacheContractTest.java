package dev.sluice.redis;

import dev.sluice.testkit.CacheContract;
import dev.sluice.testkit.EachRedis;
import dev.sluice.testkit.RedisServer;
import dev.sluice.testkit.StoreUnderTest;

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
