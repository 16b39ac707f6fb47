package dev.sluice.testkit;

/** The in-memory backend, on the JVM's clock and timer: stock and its ledger. */
class MemoryRealTimeInventoryReconcileContractTest extends MemoryInventoryReconcileContractTest {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onRealTime();
  }
}
