package dev.sluice.redis;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.SemaphoreContract;
import dev.sluice.testkit.StoreUnderTest;

/** Semaphores on Redis keep every promise. */
@EachRedis
class RedisSemaphoreContractTest extends SemaphoreContract {
  private final RedisServer server;

  RedisSemaphoreContractTest(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStore(server);
  }
}
