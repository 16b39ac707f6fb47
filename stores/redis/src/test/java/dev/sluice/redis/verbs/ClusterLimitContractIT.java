package dev.sluice.redis.verbs;

import dev.sluice.redis.ClusterStore;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.limit.LimitDecisions;
import dev.sluice.testkit.limit.LimitPolicies;
import dev.sluice.testkit.limit.LimitQueues;
import dev.sluice.testkit.limit.LimitSettlements;
import org.junit.jupiter.api.Tag;

/**
 * A Redis Cluster keeps the promises about rate limits that need a store; the rest is the core's.
 */
@Tag("full")
class ClusterLimitContractIT extends ContractFixture
    implements LimitDecisions, LimitPolicies, LimitQueues, LimitSettlements {
  @Override
  protected StoreUnderTest openStore() {
    return new ClusterStore();
  }
}
