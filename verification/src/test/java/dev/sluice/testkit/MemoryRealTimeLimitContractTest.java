package dev.sluice.testkit;

import dev.sluice.testkit.limit.LimitDecisions;
import dev.sluice.testkit.limit.LimitQueues;

/** What time decides about limits, on the JVM's clock and timer. */
class MemoryRealTimeLimitContractTest extends ContractFixture
    implements LimitDecisions, LimitQueues {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
