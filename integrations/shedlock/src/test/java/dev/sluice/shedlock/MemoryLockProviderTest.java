package dev.sluice.shedlock;

import java.util.UUID;

class MemoryLockProviderTest extends ProviderBehaviour {
  private final String store = "memory:" + UUID.randomUUID();

  @Override
  String uri() {
    return store;
  }
}
