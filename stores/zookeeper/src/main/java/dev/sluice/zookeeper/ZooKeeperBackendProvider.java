package dev.sluice.zookeeper;

import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendProvider;
import dev.sluice.spi.BackendSettings;
import java.util.List;

/**
 * Opens {@code zookeeper:} URIs.
 *
 * @since 0.1
 */
public final class ZooKeeperBackendProvider implements BackendProvider {

  /** For {@link java.util.ServiceLoader}. */
  public ZooKeeperBackendProvider() {}

  @Override
  public List<String> schemes() {
    return List.of("zookeeper");
  }

  @Override
  public Backend open(String uri, BackendSettings settings) {
    ZooKeeperBackendBuilder builder =
        ZooKeeperBackend.builder().uri(uri).requestTimeout(settings.requestTimeout());
    if (settings.namespace() != null) {
      builder.namespace(settings.namespace());
    }
    return builder.build();
  }
}
