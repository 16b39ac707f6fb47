package dev.sluice.redis;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.InventoryReconcileContract;
import dev.sluice.testkit.StoreUnderTest;

/** Redis, on each server of this machine: limited stock and its ledger. */
@EachRedis
class RedisInventoryReconcileContractTest extends InventoryReconcileContract {
  private final RedisServer server;

  RedisInventoryReconcileContractTest(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStore(server);
  }
}
