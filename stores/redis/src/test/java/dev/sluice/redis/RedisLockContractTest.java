package dev.sluice.redis;

import dev.sluice.testkit.EachRedis;
import dev.sluice.testkit.LockContract;
import dev.sluice.testkit.RedisServer;
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
