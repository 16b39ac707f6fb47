package dev.sluice.testkit;

import dev.sluice.testkit.bloom.BloomPeerCases;

/** The in-memory backend behaves as users of another library expect, on a clock that tests move. */
class MemoryBloomPeerTest extends ContractFixture implements BloomPeerCases {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
