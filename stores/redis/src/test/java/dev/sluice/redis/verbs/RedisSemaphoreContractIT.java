package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.Semaphores;

/** Semaphores on Redis keep every promise. */
@EachRedis
class RedisSemaphoreContractIT extends ContractFixture implements Semaphores {
  private final RedisServer server;

  RedisSemaphoreContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStoreUnderTest(server);
  }
}
