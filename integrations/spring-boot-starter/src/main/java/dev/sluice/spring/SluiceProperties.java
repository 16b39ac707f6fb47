package dev.sluice.spring;

import dev.sluice.cache.Consistency;
import dev.sluice.limit.CarryOver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the {@code Sluice} bean and of the beans that use it.
 *
 * @param enabled Whether a Sluice bean is provided.
 * @param store Store of the application that Sluice uses. If neither this nor the URL is set: the
 *     application's Redis or DataSource, if the module for it is on the class path, otherwise
 *     memory.
 * @param url URL of the store: memory: (this JVM only), memory:NAME, redis://host:port,
 *     rediss://host:port, redis-sentinel://host:port,host:port/#master,
 *     redis-cluster://host:port,host:port, redis-quorum://a,b,c, zookeeper://a,b,c/path,
 *     jdbc:postgresql: and others. Not allowed together with the store. Default: see the store.
 * @param namespace Namespace that separates this application from others on the same store: 1 to 32
 *     of a-z, 0-9 and '-'. Overrides a namespace in the URL. Default: none.
 * @param requestTimeout Timeout of one request to the store. A wait for a lock has its own bound.
 * @param lock Settings of locks.
 * @param limiters Rate limiters by name.
 * @param policyBook Whether limiters follow the policy book of the store, which the console and
 *     'sluice limit set' write.
 * @param http Rate limits of HTTP requests.
 * @param cache Guarded caches behind Spring's cache annotations.
 * @param health What the health endpoint reports about the store.
 * @param endpoints Actuator endpoints.
 * @since 0.1
 */
@ConfigurationProperties("sluice")
public record SluiceProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable Store store,
    @Nullable String url,
    @Nullable String namespace,
    @DefaultValue("2s") Duration requestTimeout,
    @DefaultValue Lock lock,
    @DefaultValue Map<String, Limiter> limiters,
    @DefaultValue("false") boolean policyBook,
    @DefaultValue Http http,
    @DefaultValue Caching cache,
    @DefaultValue Health health,
    @DefaultValue Endpoints endpoints) {

  /** {@return the settings without the URL, which may carry a password} */
  @Override
  public String toString() {
    return "SluiceProperties[enabled=%s, store=%s, namespace=%s, requestTimeout=%s, lock=%s, limiters=%s, http=%s, cache=%s]"
        .formatted(enabled, store, namespace, requestTimeout, lock, limiters.keySet(), http, cache);
  }

  /** Chooses the application's store for the {@code Sluice} bean. */
  public enum Store {
    /** The memory of this JVM. */
    MEMORY,
    /** The Redis of {@code spring.data.redis}. Needs sluice-redis. */
    REDIS,
    /** The application's DataSource. Needs sluice-jdbc. */
    JDBC
  }

  /**
   * Settings of locks.
   *
   * @param maxTtl Longest lease that callers may request.
   * @param clockDrift Share by which the clock rates of this machine and the store may differ, 0 to
   *     below 0.5.
   * @param observations Timers and spans of locks, where there is an ObservationRegistry.
   */
  public record Lock(
      @DefaultValue("1d") Duration maxTtl,
      @DefaultValue("0.01") double clockDrift,
      @DefaultValue Observations observations) {

    /**
     * Timers and spans of locks.
     *
     * @param enabled Whether locks are observed.
     * @param names Locks with their own value of the tag 'name': full names, or prefixes that end
     *     in '*'. All other locks share the value 'other'.
     * @param fullNamesOnSpans Whether spans carry the full name of the lock. Timers never do.
     */
    public record Observations(
        @DefaultValue("true") boolean enabled,
        @DefaultValue List<String> names,
        @DefaultValue("false") boolean fullNamesOnSpans) {}
  }

  /**
   * Settings of one rate limiter.
   *
   * @param limits Its tiers, 1 to 8, decided all or nothing: ALGORITHM COUNT/PERIOD [burst N]
   *     [slots N] [places N] [name NAME] [shared] [per-call], such as 'token-bucket 10/s burst 20'.
   * @param version Version of this policy, 0 to 65535. If two versions meet at one key, the higher
   *     one applies.
   * @param carryOver What happens to spent permits when a higher version takes over.
   * @param outage Decision while the store does not answer: open, closed, or local-share:N for N
   *     processes.
   * @param deadline Longest wait for the store's answer, 1ms to 1m.
   * @param leasing Whether this process may take permits in advance and grant them without a
   *     request. Must be the same in all processes of the limiter.
   * @param overrides Other tiers for single keys.
   * @param plans Other tiers for the keys of a plan. A bean of type LimitPlans returns the plan of
   *     a key.
   */
  public record Limiter(
      @DefaultValue List<String> limits,
      @DefaultValue("0") int version,
      @DefaultValue("keep") CarryOver carryOver,
      @DefaultValue("closed") String outage,
      @DefaultValue("50ms") Duration deadline,
      @DefaultValue("false") boolean leasing,
      @DefaultValue Map<String, List<String>> overrides,
      @DefaultValue Map<String, List<String>> plans) {}

  /**
   * Rate limits of HTTP requests, in servlet applications.
   *
   * @param rules Which requests call which limiter. All matching rules apply, in this order, until
   *     one refuses.
   * @param trustedProxies Addresses and networks (10.0.0.0/8, fd00::/8) of the proxies whose header
   *     with the client's address is trusted. Default: none.
   * @param addressHeader Header in which those proxies send the client's address. Other address
   *     headers are ignored.
   * @param ipv6Prefix Bits of an IPv6 address that identify one client, 1 to 128. Providers usually
   *     assign a /64.
   * @param rateLimitHeaders Whether responses have the RateLimit and RateLimit-Policy fields.
   * @param order Order of the filter. The default comes after Spring Security, so that the
   *     principal is known.
   */
  public record Http(
      @DefaultValue List<Rule> rules,
      @DefaultValue List<String> trustedProxies,
      @DefaultValue("x-forwarded-for") AddressHeader addressHeader,
      @DefaultValue("64") int ipv6Prefix,
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
     * The requests that are checked, and their limiters.
     *
     * @param path Pattern of the path in the application, as in Spring MVC: /orders/{id}, /api/**.
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

  /**
   * Settings of guarded caches behind Spring's cache annotations.
   *
   * @param enabled Whether Sluice is the CacheManager of the application, if caching is enabled,
   *     there is no other one, and this or another setting of guarded caches is set.
   * @param dynamic Whether caches that neither a setting nor a GuardedCacheable method names exist,
   *     with the defaults.
   * @param transactions Whether evictions in a transaction stop readers from storing what they read
   *     until it ends.
   * @param defaults Settings of every cache.
   * @param caches Settings of single caches by name. What is not set here comes from the
   *     GuardedCacheable methods, then from the defaults.
   */
  public record Caching(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("true") boolean dynamic,
      @DefaultValue("true") boolean transactions,
      @DefaultValue CacheSettings defaults,
      @DefaultValue Map<String, CacheSettings> caches) {}

  /**
   * Settings of the health endpoint.
   *
   * @param examineEvery Interval between examinations of the store by the doctor, apart from
   *     probes.
   * @param downOn Which findings make the health DOWN, besides a store that does not answer:
   *     errors, warnings too, or none.
   */
  public record Health(
      @DefaultValue("5m") Duration examineEvery, @DefaultValue("error") DownOn downOn) {

    /** The findings that make the health DOWN. */
    public enum DownOn {
      /** An unreachable store. */
      UNREACHABLE,
      /** Unreachable stores, and findings that are errors. */
      ERROR,
      /** Unreachable stores, and findings that are errors or warnings. */
      WARNING
    }
  }

  /**
   * Actuator endpoints.
   *
   * @param forceRelease Whether DELETE on the endpoint sluicelocks releases a lock by force.
   */
  public record Endpoints(@DefaultValue("false") boolean forceRelease) {}

  /**
   * Settings of one guarded cache.
   *
   * @param type Type of the values, for JSON: com.acme.Product,
   *     java.util.List&lt;com.acme.Product&gt;. Default: the type of the annotated methods.
   * @param codec Name of a bean of type Codec that converts values to bytes. Default: JSON by the
   *     application's mapper.
   * @param ttl Time until a value expires, 1ms to 30d. Default: 10m.
   * @param jitter Share by which TTLs are shortened at random, 0 to 0.9. Default: 0.1.
   * @param absentTtl Time for which null is cached, up to 5m; 0 turns it off. Default: 60s.
   * @param near Most values in the near cache of this process. Default: no near cache.
   * @param nearTtl TTL of a near value, 1ms to 30d. Default: 1m.
   * @param nearStaleness Time for which a near value may be older than the store's, 100ms to 1m.
   *     Default: 1s.
   * @param guard Name of a bean of type BloomFilter that contains every existing key. Default:
   *     none.
   * @param staleOnError Time for which expired values are kept and served if a load fails. Default:
   *     not kept.
   * @param earlyRefresh Last share of the TTL in which a value is refreshed early, 0 to 0.9.
   *     Default: 0.
   * @param softTimeout Time after which a reader gets an expired value while the load continues.
   *     Default: never.
   * @param hardTimeout Time after which a reader gives up while the load continues. Default: never.
   * @param consistency What a read may return after a write. Default: eventual.
   * @param serial Whether loads and writes of one key run one after the other. Default: no.
   * @param deadline Longest wait for the store's answer, 1ms to 1m. Default: 100ms.
   * @param fillLease Time after which others load, if the process that loads died. Default: 3s.
   * @param intent Time for which nothing is cached after a process died during a write. Default:
   *     10s.
   * @param fallback Limit on loads while the store does not answer. Default: token-bucket 100/s.
   */
  public record CacheSettings(
      @Nullable String type,
      @Nullable String codec,
      @Nullable Duration ttl,
      @Nullable Double jitter,
      @Nullable Duration absentTtl,
      @Nullable Long near,
      @Nullable Duration nearTtl,
      @Nullable Duration nearStaleness,
      @Nullable String guard,
      @Nullable Duration staleOnError,
      @Nullable Double earlyRefresh,
      @Nullable Duration softTimeout,
      @Nullable Duration hardTimeout,
      @Nullable Consistency consistency,
      @Nullable Boolean serial,
      @Nullable Duration deadline,
      @Nullable Duration fillLease,
      @Nullable Duration intent,
      @Nullable String fallback) {}
}
