package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.ReadWriteLocks;

/** Read-write locks on Redis keep every promise. */
@EachRedis
class RedisReadWriteContractIT extends ContractFixture implements ReadWriteLocks {
  private final RedisServer server;

  RedisReadWriteContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStoreUnderTest(server);
  }
}
