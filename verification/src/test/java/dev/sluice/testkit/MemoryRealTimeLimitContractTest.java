package dev.sluice.testkit;

/** The in-memory backend keeps every promise about limits on the JVM's clock and timer. */
class MemoryRealTimeLimitContractTest extends MemoryLimitContractTest {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
