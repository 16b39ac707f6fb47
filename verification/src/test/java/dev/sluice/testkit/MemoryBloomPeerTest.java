package dev.sluice.testkit;

import dev.sluice.testkit.bloom.BloomHabits;

/** The in-memory backend behaves as users of another library expect, on a clock that tests move. */
class MemoryBloomPeerTest extends ContractFixture implements BloomHabits {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
