package dev.sluice.spring.actuate;

import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Outage;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.limit.RateLimiterStats;
import dev.sluice.spring.limit.RateLimiters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** The rate limiters of this process. Keys are not listed: they may name people. */
@Endpoint(id = "sluicelimits")
final class SluiceLimitsEndpoint {
  private final RateLimiters limiters;

  SluiceLimitsEndpoint(RateLimiters limiters) {
    this.limiters = limiters;
  }

  /**
   * A limiter.
   *
   * @param limits its tiers, as the settings write them
   * @param version number of the policy
   * @param overrides how many keys have overridden limits
   * @param plans the tiers of each plan, by its name
   * @param outage who decides while the store does not
   * @param deadline longest wait for the store's answer
   * @param leasing whether permits may be taken in advance
   * @param stats what this process has seen
   * @param key what the key that was asked for would get; null if none was
   */
  record Limiter(
      List<String> limits,
      int version,
      int overrides,
      Map<String, List<String>> plans,
      Outage outage,
      Duration deadline,
      boolean leasing,
      RateLimiterStats stats,
      @Nullable Look key) {}

  /**
   * The decision for one permit of a key. Nothing is taken.
   *
   * @param allowed whether it would pass
   * @param remaining permits left
   * @param retryAfter wait before it could pass; zero when allowed
   * @param resetAfter wait until all is back
   */
  record Look(boolean allowed, long remaining, Duration retryAfter, Duration resetAfter) {}

  /** {@return the limiters by name} */
  @ReadOperation
  public Map<String, Limiter> limiters() {
    Map<String, Limiter> all = new TreeMap<>();
    for (String name : limiters.names()) {
      all.put(name, describe(limiters.get(name), null));
    }
    return all;
  }

  /**
   * Shows a limiter.
   *
   * @param name its name
   * @param key also returns what this key would get, with one round trip
   * @return the limiter; null if there is none of that name
   */
  @ReadOperation
  public @Nullable Limiter limiter(@Selector String name, @Nullable String key) {
    return limiters.names().contains(name) ? describe(limiters.get(name), key) : null;
  }

  private static Limiter describe(RateLimiter limiter, @Nullable String key) {
    RateLimiterOptions options = limiter.options();
    Map<String, List<String>> plans = new TreeMap<>();
    options.plans().forEach((plan, limits) -> plans.put(plan, texts(limits)));
    return new Limiter(
        texts(options.limits()),
        options.version(),
        options.overrides().size(),
        plans,
        options.outage(),
        options.deadline(),
        options.isLeasing(),
        limiter.stats(),
        key == null ? null : look(limiter.peek(key, 1)));
  }

  private static List<String> texts(List<Limit> limits) {
    return limits.stream().map(Limit::toString).toList();
  }

  private static Look look(Decision decision) {
    return new Look(
        decision.allowed(), decision.remaining(), decision.retryAfter(), decision.resetAfter());
  }
}
