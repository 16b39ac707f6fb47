package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.inventory.StockDrains;

/** Redis, on each server of this machine: drains of limited stock. */
@EachRedis
class RedisInventoryDrainContractIT extends ContractFixture implements StockDrains {
  private final RedisServer server;

  RedisInventoryDrainContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStoreUnderTest(server);
  }
}
