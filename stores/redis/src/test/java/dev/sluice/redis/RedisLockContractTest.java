package dev.sluice.redis;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.LockContract;
import dev.sluice.testkit.StoreUnderTest;

/** Redis keeps every promise, on each server of this machine. */
@EachRedis
class RedisLockContractTest extends LockContract {
  private final RedisServer server;

  RedisLockContractTest(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStore(server);
  }
}
