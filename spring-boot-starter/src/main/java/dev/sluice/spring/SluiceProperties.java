package dev.sluice.spring;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the {@code Sluice} bean.
 *
 * @param enabled Whether a Sluice bean is provided.
 * @param url Store to connect to: memory: (this JVM only), memory:NAME, redis://host:port,
 *     rediss://host:port, redis-sentinel://host:port,host:port/#master.
 * @param requestTimeout Longest time that one request to the store may stay without an answer. A
 *     wait for a lock has its own bound.
 * @param lock Settings of locks.
 */
@ConfigurationProperties("sluice")
public record SluiceProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("memory:") String url,
    @DefaultValue("2s") Duration requestTimeout,
    @DefaultValue Lock lock) {

  /** {@return the settings without the URL, which may carry a password} */
  @Override
  public String toString() {
    return "SluiceProperties[enabled=%s, requestTimeout=%s, lock=%s]"
        .formatted(enabled, requestTimeout, lock);
  }

  /**
   * Settings of locks.
   *
   * @param maxTtl Longest lease that callers may ask for.
   * @param clockDrift Share by which the clock of this machine and the store's may run apart, 0 to
   *     below 0.5.
   */
  public record Lock(
      @DefaultValue("1d") Duration maxTtl, @DefaultValue("0.01") double clockDrift) {}
}
