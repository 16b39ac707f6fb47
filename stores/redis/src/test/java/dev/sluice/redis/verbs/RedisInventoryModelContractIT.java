package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.inventory.StockHistories;

/** Redis, on each server of this machine: limited stock against its decisions. */
@EachRedis
class RedisInventoryModelContractIT extends ContractFixture implements StockHistories {
  private final RedisServer server;

  RedisInventoryModelContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStoreUnderTest(server);
  }
}
