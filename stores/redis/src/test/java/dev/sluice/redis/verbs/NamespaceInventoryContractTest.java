package dev.sluice.redis.verbs;

import dev.sluice.redis.InTwoNamespaces;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.inventory.StockClaims;

/** Two namespaces keep every promise about limited stock. */
@EachRedis
class NamespaceInventoryContractTest extends InTwoNamespaces implements StockClaims {
  NamespaceInventoryContractTest(RedisServer server) {
    super(server);
  }
}
