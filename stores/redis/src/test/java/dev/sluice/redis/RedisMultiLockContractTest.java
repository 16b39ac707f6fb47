package dev.sluice.redis;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.MultiLockContract;
import dev.sluice.testkit.StoreUnderTest;

/** Redis, on each server of this machine: several locks as one. */
@EachRedis
class RedisMultiLockContractTest extends MultiLockContract {
  private final RedisServer server;

  RedisMultiLockContractTest(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStore(server);
  }
}
