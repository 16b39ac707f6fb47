package dev.sluice.redis;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.InventoryDrainContract;
import dev.sluice.testkit.StoreUnderTest;

/** Redis, on each server of this machine: drains of limited stock. */
@EachRedis
class RedisInventoryDrainContractTest extends InventoryDrainContract {
  private final RedisServer server;

  RedisInventoryDrainContractTest(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStore(server);
  }
}
