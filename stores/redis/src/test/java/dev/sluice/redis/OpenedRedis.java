package dev.sluice.redis;

import dev.sluice.spi.BackendSettings;

/** Opens backends for tests in other packages. */
public final class OpenedRedis {
  private OpenedRedis() {}

  /** {@return a backend that is connected to the server of a URI} */
  public static RedisBackend connect(String uri, BackendSettings settings) {
    return RedisBackend.connect(uri, settings);
  }

  /** {@return a builder with the settings} */
  public static RedisBackendBuilder builder(BackendSettings settings) {
    RedisBackendBuilder builder = RedisBackend.builder().requestTimeout(settings.requestTimeout());
    return settings.namespace() == null ? builder : builder.namespace(settings.namespace());
  }
}
