package dev.sluice.testkit;

/** The in-memory backend keeps every promise about limits, on a clock that the tests move. */
class MemoryLimitContractTest extends LimitContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
