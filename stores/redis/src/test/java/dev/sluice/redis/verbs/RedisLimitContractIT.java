package dev.sluice.redis.verbs;

import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.limit.LimitDecisions;
import dev.sluice.testkit.limit.LimitLeases;
import dev.sluice.testkit.limit.LimitOutages;
import dev.sluice.testkit.limit.LimitPolicies;
import dev.sluice.testkit.limit.LimitQueues;
import dev.sluice.testkit.limit.LimitSettlements;

/** Redis keeps every promise about limits, on each server of this machine. */
@EachRedis
class RedisLimitContractIT extends ContractFixture
    implements LimitDecisions,
        LimitPolicies,
        LimitQueues,
        LimitSettlements,
        LimitOutages,
        LimitLeases {
  private final RedisServer server;

  RedisLimitContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStoreUnderTest(server);
  }
}
