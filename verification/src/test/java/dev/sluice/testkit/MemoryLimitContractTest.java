package dev.sluice.testkit;

import dev.sluice.testkit.limit.LimitDecisions;
import dev.sluice.testkit.limit.LimitLeases;
import dev.sluice.testkit.limit.LimitOutages;
import dev.sluice.testkit.limit.LimitPolicies;
import dev.sluice.testkit.limit.LimitQueues;
import dev.sluice.testkit.limit.LimitSettlements;

/** The in-memory backend keeps every promise about limits, on a clock that the tests move. */
class MemoryLimitContractTest extends ContractFixture
    implements LimitDecisions,
        LimitPolicies,
        LimitQueues,
        LimitSettlements,
        LimitOutages,
        LimitLeases {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
