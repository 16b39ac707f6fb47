package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.bloom.BloomFilters;

/** Redis keeps every promise about Bloom filters, on each server of this machine. */
@EachRedis
class RedisBloomContractIT extends ContractFixture implements BloomFilters {
  private final RedisServer server;

  RedisBloomContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return RedisStoreUnderTest.inRealTime(server);
  }
}
