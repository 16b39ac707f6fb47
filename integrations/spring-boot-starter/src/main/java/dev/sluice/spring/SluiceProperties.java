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
 * Settings of the {@code Sluice} bean and of what stands on it.
 *
 * @param enabled Whether a Sluice bean is provided.
 * @param store Store of the application to work on. If neither this nor the URL is set: the
 *     application's Redis or its DataSource, whichever of them there is together with the module
 *     for it, or memory if there is none.
 * @param url Store to connect to: memory: (this JVM only), memory:NAME, redis://host:port,
 *     rediss://host:port, redis-sentinel://host:port,host:port/#master,
 *     redis-cluster://host:port,host:port, redis-quorum://a,b,c, zookeeper://a,b,c/path,
 *     jdbc:postgresql: and others. Not together with the store, which says what holds if neither is
 *     set.
 * @param namespace What keeps the application apart from others that share the store: 1 to 32 of
 *     a-z, 0-9 and '-'. It comes before a namespace in the URL. None unless set.
 * @param requestTimeout Longest time that one request to the store may stay without an answer. A
 *     wait for a lock has its own bound.
 * @param lock Settings of locks.
 * @param limiters Rate limiters by name.
 * @param policyBook Whether limiters follow the policy book of the store, in which the console and
 *     'sluice limit set' write.
 * @param http Rate limits of HTTP requests.
 * @param cache Guarded caches behind Spring's cache annotations.
 * @param health What the health endpoint says of the store.
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

  /** Which of the application's stores the {@code Sluice} bean works on. */
  public enum Store {
    /** The memory of this JVM. */
    MEMORY,
    /** The Redis that spring.data.redis names. Needs sluice-redis. */
    REDIS,
    /** The application's DataSource. Needs sluice-jdbc. */
    JDBC
  }

  /**
   * Settings of locks.
   *
   * @param maxTtl Longest lease that callers may ask for.
   * @param clockDrift Share by which the clock of this machine and the store's may run apart, 0 to
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
     * @param names Locks that are told apart, by full names or by beginnings that end in '*'. Each
     *     is a value of the tag 'name'; all other locks share the value 'other'.
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
   * @param version Number of this policy, 0 to 65535. Where two versions meet at one key, the
   *     higher one rules.
   * @param carryOver What becomes of spent permits when a higher version takes over.
   * @param outage What to answer while the store does not: open, closed, or local-share:N for N
   *     processes.
   * @param deadline Longest wait for the store's answer, 1ms to 1m.
   * @param leasing Whether this process may take permits in advance and hand them out without
   *     asking. Every process of the limiter must say the same.
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

  /**
   * Guarded caches behind Spring's cache annotations.
   *
   * @param enabled Whether Sluice is the application's CacheManager, where caching is enabled,
   *     there is no other, and this or another setting of guarded caches is set.
   * @param dynamic Whether caches exist, with the defaults, that neither a setting nor a
   *     GuardedCacheable method names.
   * @param transactions Whether evictions inside a transaction keep readers from storing what they
   *     read until it has ended.
   * @param defaults Settings of every cache.
   * @param caches Settings of single caches by name. What is not set here is as at the
   *     GuardedCacheable methods, or else as in the defaults.
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
   * @param examineEvery How often the doctor looks at the store, beside the probes.
   * @param downOn What is DOWN beside a store that does not answer: a finding that is an error, or
   *     a warning as well, or none at all.
   */
  public record Health(
      @DefaultValue("5m") Duration examineEvery, @DefaultValue("error") DownOn downOn) {

    /** The findings that make the health DOWN. */
    public enum DownOn {
      /** A store that does not answer. */
      UNREACHABLE,
      /** That, and findings that are errors. */
      ERROR,
      /** That, and findings that are warnings. */
      WARNING
    }
  }

  /**
   * Actuator endpoints.
   *
   * @param forceRelease Whether DELETE on the endpoint sluicelocks takes a lock from its holder.
   */
  public record Endpoints(@DefaultValue("false") boolean forceRelease) {}

  /**
   * Settings of one guarded cache.
   *
   * @param type What values are, for JSON: com.acme.Product,
   *     java.util.List&lt;com.acme.Product&gt;. Taken from the annotated methods if not set.
   * @param codec Name of a bean of type Codec that makes bytes of values. JSON by the application's
   *     mapper if not set.
   * @param ttl How long a value is fresh, 1ms to 30d. 10m unless set.
   * @param jitter Share by which lives are shortened at random, 0 to 0.9. 0.1 unless set.
   * @param absentTtl How long null is remembered, up to 5m; 0 for not at all. 60s unless set.
   * @param near Most copies kept in this process. None unless set.
   * @param nearTtl How long a copy lives, 1ms to 30d. 1m unless set.
   * @param nearStaleness How long a copy may outlive its value, 100ms to 1m. 1s unless set.
   * @param guard Name of a bean of type BloomFilter that has every key there is. None unless set.
   * @param staleOnError How long expired values are kept to be served in need. Not at all unless
   *     set.
   * @param earlyRefresh Last part of a life in which a value is loaded anew, 0 to 0.9. 0 unless
   *     set.
   * @param softTimeout When a reader gets an expired value while the load goes on. Never unless
   *     set.
   * @param hardTimeout When a reader gives up while the load goes on. Never unless set.
   * @param consistency What a read may return after a write. Eventual unless set.
   * @param serial Whether loads and writes of one key form one queue. No unless set.
   * @param deadline Longest wait for the store's answer, 1ms to 1m. 100ms unless set.
   * @param fillLease How long others wait for a process that died while it loaded. 3s unless set.
   * @param intent How long nothing is cached after a process died while it wrote. 10s unless set.
   * @param fallback Limit on loads while the store is away, such as 'token-bucket 100/s'. That one
   *     unless set.
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
