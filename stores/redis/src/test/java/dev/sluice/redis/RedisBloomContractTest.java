package dev.sluice.redis;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.BloomContract;
import dev.sluice.testkit.StoreUnderTest;

/** Redis keeps every promise about Bloom filters, on each server of this machine. */
@EachRedis
class RedisBloomContractTest extends BloomContract {
  private final RedisServer server;

  RedisBloomContractTest(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStore(server);
  }
}
