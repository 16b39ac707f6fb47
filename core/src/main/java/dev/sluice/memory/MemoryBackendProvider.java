package dev.sluice.memory;

import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendProvider;
import dev.sluice.spi.BackendSettings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Opens {@code memory:} (a store of its own) and {@code memory:NAME} (one store for all of this JVM
 * that ask for the name).
 */
public final class MemoryBackendProvider implements BackendProvider {
  private static final Map<String, MemoryBackend> SHARED = new ConcurrentHashMap<>();

  @Override
  public List<String> schemes() {
    return List.of("memory");
  }

  @Override
  public Backend open(String uri, BackendSettings settings) {
    String name = uri.substring("memory:".length());
    return name.isEmpty()
        ? new MemoryBackend()
        : SHARED.computeIfAbsent(name, n -> new MemoryBackend());
  }
}
