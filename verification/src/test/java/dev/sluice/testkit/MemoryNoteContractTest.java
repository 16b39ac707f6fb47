package dev.sluice.testkit;

/** The in-memory backend, on a clock that the tests move: notes. */
class MemoryNoteContractTest extends ContractFixture implements Notes {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
