package dev.sluice.redis.verbs;

import dev.sluice.redis.InTwoNamespaces;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.inventory.StockClaims;
import org.junit.jupiter.api.Tag;

/** Two namespaces keep every promise about limited stock. */
@EachRedis
@Tag("full")
class NamespaceInventoryContractIT extends InTwoNamespaces implements StockClaims {
  NamespaceInventoryContractIT(RedisServer server) {
    super(server);
  }
}
