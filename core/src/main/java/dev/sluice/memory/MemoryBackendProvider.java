package dev.sluice.memory;

import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendProvider;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Namespace;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@code memory:} (a new store) and {@code memory:NAME} (one store for all clients of this
 * JVM with the same name and namespace).
 *
 * @since 0.1
 */
public final class MemoryBackendProvider implements BackendProvider {
  /** A store with a name. */
  private record Shared(String name, @Nullable String namespace) {}

  private static final Map<Shared, MemoryBackend> SHARED = new ConcurrentHashMap<>();

  @Override
  public List<String> schemes() {
    return List.of("memory");
  }

  @Override
  public Backend open(String uri, BackendSettings settings) {
    String namespace = settings.forUri(uri).namespace();
    String name = Namespace.without(uri).substring("memory:".length());
    int query = name.indexOf('?');
    if (query >= 0) {
      String option = name.substring(query + 1).split("=", 2)[0];
      throw new IllegalArgumentException(
          "a memory: URI has no option but 'namespace': '" + option + "'");
    }
    return name.isEmpty()
        ? new MemoryBackend()
        : SHARED.computeIfAbsent(new Shared(name, namespace), shared -> new MemoryBackend());
  }
}
