package dev.sluice.redis;

import dev.sluice.testkit.EachRedis;
import dev.sluice.testkit.LatchContract;
import dev.sluice.testkit.RedisServer;
import dev.sluice.testkit.StoreUnderTest;

/** Redis, on each server of this machine: count-down latches. */
@EachRedis
class RedisLatchContractTest extends LatchContract {
  private final RedisServer server;

  RedisLatchContractTest(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStore(server);
  }
}
