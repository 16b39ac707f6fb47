package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.MultiLockLoss;
import dev.sluice.testkit.lock.MultiLocks;

/** Redis, on each server of this machine: several locks as one. */
@EachRedis
class RedisMultiLockContractIT extends ContractFixture implements MultiLocks, MultiLockLoss {
  private final RedisServer server;

  RedisMultiLockContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStoreUnderTest(server);
  }
}
