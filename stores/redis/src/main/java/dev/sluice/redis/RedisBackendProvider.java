package dev.sluice.redis;

import dev.sluice.Finding;
import dev.sluice.redis.doctor.RedisDoctor;
import dev.sluice.redis.quorum.QuorumUri;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendProvider;
import dev.sluice.spi.BackendSettings;
import java.util.List;

/**
 * Opens {@code redis:}, {@code redis-sentinel:}, {@code redis-cluster:} and {@code redis-quorum:}
 * URIs, and the same with {@code rediss} for TLS.
 *
 * @since 0.1
 */
public final class RedisBackendProvider implements BackendProvider {

  /** For {@link java.util.ServiceLoader}. */
  public RedisBackendProvider() {}

  @Override
  public List<String> schemes() {
    return List.of(
        "redis",
        "rediss",
        "redis-sentinel",
        "rediss-sentinel",
        "redis-cluster",
        "rediss-cluster",
        "redis-quorum",
        "rediss-quorum");
  }

  @Override
  public Backend open(String uri, BackendSettings settings) {
    return QuorumUri.isQuorum(uri)
        ? RedisQuorum.connect(uri, settings)
        : RedisBackend.connect(uri, settings);
  }

  @Override
  public List<Finding> examine(List<String> uris, BackendSettings settings) {
    return RedisDoctor.examine(uris, settings);
  }
}
