package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.ElectionOrder;
import dev.sluice.testkit.lock.LeaderElections;

/** Redis, on each server of this machine: one leader at a time. */
@EachRedis
class RedisElectionContractIT extends ContractFixture implements LeaderElections, ElectionOrder {
  private final RedisServer server;

  RedisElectionContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStoreUnderTest(server);
  }
}
