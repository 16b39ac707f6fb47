package dev.sluice.integration;

import java.util.UUID;

class MemoryLockRegistryTest extends LockRegistryBehaviour {
  private final String store = "memory:" + UUID.randomUUID();

  @Override
  String uri() {
    return store;
  }
}
