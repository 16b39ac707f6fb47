package dev.sluice.redis;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ElectionContract;
import dev.sluice.testkit.StoreUnderTest;

/** Redis, on each server of this machine: one leader at a time. */
@EachRedis
class RedisElectionContractTest extends ElectionContract {
  private final RedisServer server;

  RedisElectionContractTest(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStore(server);
  }
}
