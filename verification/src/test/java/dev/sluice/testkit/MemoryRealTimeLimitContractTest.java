package dev.sluice.testkit;

import dev.sluice.testkit.limit.LimitDecisions;
import dev.sluice.testkit.limit.LimitQueues;

/** The effect of time on limits, on the JVM's clock and timer. */
class MemoryRealTimeLimitContractTest extends ContractFixture
    implements LimitDecisions, LimitQueues {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
