package dev.sluice.redis;

import dev.sluice.Finding;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendProvider;
import dev.sluice.spi.BackendSettings;
import java.util.List;

/**
 * Opens {@code redis:}, {@code rediss:}, {@code redis-sentinel:} and {@code redis-cluster:} URIs.
 */
public final class RedisBackendProvider implements BackendProvider {

  /** For {@link java.util.ServiceLoader}. */
  public RedisBackendProvider() {}

  @Override
  public List<String> schemes() {
    return List.of("redis", "rediss", "redis-sentinel", "redis-cluster", "rediss-cluster");
  }

  @Override
  public Backend open(String uri, BackendSettings settings) {
    return RedisBackend.connect(uri, settings);
  }

  @Override
  public List<Finding> examine(List<String> uris, BackendSettings settings) {
    return RedisDoctor.examine(uris, settings);
  }
}
