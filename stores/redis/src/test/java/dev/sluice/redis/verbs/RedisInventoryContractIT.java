package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.inventory.StockClaims;

/** Redis, on each server of this machine: limited stock. */
@EachRedis
class RedisInventoryContractIT extends ContractFixture implements StockClaims {
  private final RedisServer server;

  RedisInventoryContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStoreUnderTest(server);
  }
}
