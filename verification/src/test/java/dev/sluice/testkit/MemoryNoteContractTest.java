package dev.sluice.testkit;

import dev.sluice.testkit.limit.PolicyBooks;

/** The in-memory backend, on a clock that the tests move: notes. */
class MemoryNoteContractTest extends ContractFixture implements Notes, PolicyBooks {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
