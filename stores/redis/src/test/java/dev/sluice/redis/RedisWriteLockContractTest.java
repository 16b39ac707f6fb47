package dev.sluice.redis;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.WriteLockContract;

/** The write lock on Redis keeps every promise of a lock. */
@EachRedis
class RedisWriteLockContractTest extends WriteLockContract {
  private final RedisServer server;

  RedisWriteLockContractTest(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStore(server);
  }
}
