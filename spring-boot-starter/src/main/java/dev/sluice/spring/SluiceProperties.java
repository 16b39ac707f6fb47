package dev.sluice.spring;

import dev.sluice.limit.CarryOver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the {@code Sluice} bean and of what stands on it.
 *
 * @param enabled Whether a Sluice bean is provided.
 * @param url Store to connect to: memory: (this JVM only), memory:NAME, redis://host:port,
 *     rediss://host:port, redis-sentinel://host:port,host:port/#master.
 * @param requestTimeout Longest time that one request to the store may stay without an answer. A
 *     wait for a lock has its own bound.
 * @param lock Settings of locks.
 * @param limiters Rate limiters by name.
 * @param http Rate limits of HTTP requests.
 */
@ConfigurationProperties("sluice")
public record SluiceProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("memory:") String url,
    @DefaultValue("2s") Duration requestTimeout,
    @DefaultValue Lock lock,
    @DefaultValue Map<String, Limiter> limiters,
    @DefaultValue Http http) {

  /** {@return the settings without the URL, which may carry a password} */
  @Override
  public String toString() {
    return "SluiceProperties[enabled=%s, requestTimeout=%s, lock=%s, limiters=%s, http=%s]"
        .formatted(enabled, requestTimeout, lock, limiters.keySet(), http);
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

  /**
   * Settings of one rate limiter.
   *
   * @param limits Its tiers, 1 to 8, decided all or nothing: ALGORITHM COUNT/PERIOD [burst N]
   *     [slots N] [places N] [name NAME] [shared], such as 'token-bucket 10/s burst 20'.
   * @param version Number of this policy, 0 to 65535. Where two versions meet at one key, the
   *     higher one rules.
   * @param carryOver What becomes of spent permits when a higher version takes over.
   * @param outage What to answer while the store does not: open, closed, or local-share:N for N
   *     processes.
   * @param deadline Longest wait for the store's answer, 1ms to 1m.
   * @param leasing Whether this process may take permits in advance and hand them out without
   *     asking. Every process of the limiter must say the same.
   * @param overrides Other tiers for single keys.
   */
  public record Limiter(
      @DefaultValue List<String> limits,
      @DefaultValue("0") int version,
      @DefaultValue("keep") CarryOver carryOver,
      @DefaultValue("closed") String outage,
      @DefaultValue("50ms") Duration deadline,
      @DefaultValue("false") boolean leasing,
      @DefaultValue Map<String, List<String>> overrides) {}

  /**
   * Rate limits of HTTP requests, in servlet applications.
   *
   * @param rules Which requests ask which limiter. All rules that match apply, in this order, until
   *     one refuses.
   * @param trustedProxies Addresses and networks (10.0.0.0/8, fd00::/8) of the proxies whose word
   *     about the client's address is believed. None unless set.
   * @param addressHeader Header in which those proxies name the client. The other one is ignored.
   * @param ipv6Prefix Bits of an IPv6 address that make one client, 1 to 128. Providers hand out
   *     whole networks, usually a /64.
   * @param rateLimitHeaders Whether answers carry the RateLimit and RateLimit-Policy fields.
   * @param order Place of the filter among the others. The default comes after Spring Security, so
   *     that the principal is known.
   */
  public record Http(
      @DefaultValue List<Rule> rules,
      @DefaultValue List<String> trustedProxies,
      @DefaultValue("x-forwarded-for") AddressHeader addressHeader,
      @DefaultValue("128") int ipv6Prefix,
      @DefaultValue("false") boolean rateLimitHeaders,
      @DefaultValue("-90") int order) {

    /** Header that names the client. */
    public enum AddressHeader {
      /** One address per hop, the nearest last. */
      X_FORWARDED_FOR,
      /** RFC 7239. */
      FORWARDED
    }

    /**
     * Which requests ask which limiter.
     *
     * @param path Pattern of the path inside the application, as in Spring MVC: /orders/{id},
     *     /api/**.
     * @param limiter Name of the limiter, one of sluice.limiters.
     * @param key Whose permits are spent: principal, ip, header:NAME, or the name of a bean of type
     *     RateLimitKeyResolver.
     * @param cost Permits that one request takes, at least 1.
     */
    public record Rule(
        @DefaultValue("") String path,
        @DefaultValue("") String limiter,
        @DefaultValue("ip") String key,
        @DefaultValue("1") long cost) {}
  }
}
