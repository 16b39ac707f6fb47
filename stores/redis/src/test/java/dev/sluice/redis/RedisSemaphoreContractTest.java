package dev.sluice.redis;

import dev.sluice.testkit.EachRedis;
import dev.sluice.testkit.RedisServer;
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
