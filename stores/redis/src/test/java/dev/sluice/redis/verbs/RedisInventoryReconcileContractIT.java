package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.inventory.StockReconciliation;

/** Redis, on each server of this machine: limited stock and its ledger. */
@EachRedis
class RedisInventoryReconcileContractIT extends ContractFixture implements StockReconciliation {
  private final RedisServer server;

  RedisInventoryReconcileContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStoreUnderTest(server);
  }
}
