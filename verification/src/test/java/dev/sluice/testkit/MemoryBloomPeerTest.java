package dev.sluice.testkit;

/** The in-memory backend behaves as users of another library expect, on a clock that tests move. */
class MemoryBloomPeerTest extends BloomPeerContract {

  @Override
  protected StoreUnderTest openStore() {
    return MemoryStore.onManualTime();
  }
}
