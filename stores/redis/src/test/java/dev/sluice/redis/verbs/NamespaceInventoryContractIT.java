package dev.sluice.redis.verbs;

import dev.sluice.redis.InTwoNamespaces;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.inventory.StockClaims;

/** Two namespaces keep every promise about limited stock. */
@EachRedis
class NamespaceInventoryContractIT extends InTwoNamespaces implements StockClaims {
  NamespaceInventoryContractIT(RedisServer server) {
    super(server);
  }
}
