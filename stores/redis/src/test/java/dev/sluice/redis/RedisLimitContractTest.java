package dev.sluice.redis;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.LimitContract;
import dev.sluice.testkit.StoreUnderTest;

/** Redis keeps every promise about limits, on each server of this machine. */
@EachRedis
class RedisLimitContractTest extends LimitContract {
  private final RedisServer server;

  RedisLimitContractTest(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStore(server);
  }
}
