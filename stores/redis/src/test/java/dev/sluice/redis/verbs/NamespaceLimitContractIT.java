package dev.sluice.redis.verbs;

import dev.sluice.redis.InTwoNamespaces;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.limit.LimitDecisions;
import dev.sluice.testkit.limit.LimitLeases;
import dev.sluice.testkit.limit.LimitOutages;
import dev.sluice.testkit.limit.LimitPolicies;
import dev.sluice.testkit.limit.LimitQueues;
import dev.sluice.testkit.limit.LimitSettlements;
import org.junit.jupiter.api.Tag;

/** Two namespaces keep every promise about limits. */
@EachRedis
@Tag("full")
class NamespaceLimitContractIT extends InTwoNamespaces
    implements LimitDecisions,
        LimitPolicies,
        LimitQueues,
        LimitSettlements,
        LimitOutages,
        LimitLeases {
  NamespaceLimitContractIT(RedisServer server) {
    super(server);
  }
}
