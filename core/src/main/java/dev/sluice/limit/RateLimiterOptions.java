package dev.sluice.limit;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The policy of a limiter and how this process applies it. An immutable value: each method returns
 * a changed copy.
 *
 * @param limits the tiers, 1 to 8, decided all or nothing
 * @param version 0, or a number that grows with every change of the limits, to 65535: where two
 *     versions meet at one key, the higher one rules for both
 * @param carryOver what becomes of spent permits when a higher version takes over
 * @param overrides other limits for single keys
 * @param outage what to answer while the store does not
 * @param deadline longest wait for the store's answer, 1 ms to 1 minute
 * @param leasing whether this process may take permits in advance and hand them out without asking
 */
public record RateLimiterOptions(
    List<Limit> limits,
    int version,
    CarryOver carryOver,
    Map<String, List<Limit>> overrides,
    Outage outage,
    Duration deadline,
    boolean leasing) {

  private static final int MAX_TIERS = 8;

  /** Checks every setting. */
  public RateLimiterOptions {
    limits = checkTiers(limits);
    requireNonNull(carryOver, "carryOver must not be null");
    requireNonNull(outage, "outage must not be null");
    requireNonNull(deadline, "deadline must not be null");
    if (version < 0 || version > 65_535) {
      throw new IllegalArgumentException("version must be 0 to 65535: " + version);
    }
    if (deadline.compareTo(Duration.ofMillis(1)) < 0
        || deadline.compareTo(Duration.ofMinutes(1)) > 0) {
      throw new IllegalArgumentException("deadline must be 1ms to 1m: " + deadline);
    }
    Map<String, List<Limit>> checked = new LinkedHashMap<>();
    List<Limit> shared = limits.stream().filter(Limit::shared).toList();
    for (Map.Entry<String, List<Limit>> override : overrides.entrySet()) {
      List<Limit> tiers = checkTiers(override.getValue());
      if (!tiers.stream().filter(Limit::shared).toList().equals(shared)) {
        throw new IllegalArgumentException(
            "override of '"
                + override.getKey()
                + "' must have the same shared tiers as the others: "
                + shared);
      }
      checked.put(override.getKey(), tiers);
    }
    overrides = Map.copyOf(checked);
  }

  private static List<Limit> checkTiers(List<Limit> limits) {
    List<Limit> tiers = List.copyOf(limits);
    if (tiers.isEmpty() || tiers.size() > MAX_TIERS) {
      throw new IllegalArgumentException("limits must be 1 to " + MAX_TIERS + ": " + tiers.size());
    }
    Set<String> names = new HashSet<>();
    for (int i = 0; i < tiers.size(); i++) {
      Limit tier = tiers.get(i);
      if (tier.algorithm() == Limit.Algorithm.LEAKY_QUEUE && tiers.size() > 1) {
        throw new IllegalArgumentException(
            "a leaky queue must be the only limit of its limiter: there are " + tiers.size());
      }
      if (!names.add(tier.name().isEmpty() ? Integer.toString(i + 1) : tier.name())) {
        throw new IllegalArgumentException("limits must have names of their own: " + tier.name());
      }
    }
    return tiers;
  }

  /**
   * A policy without a version: closed while the store is away, 50 ms for its answer, every
   * decision the store's.
   *
   * @param limits the tiers, 1 to 8
   * @return the options
   */
  public static RateLimiterOptions of(Limit... limits) {
    return of(List.of(limits));
  }

  /**
   * The same as {@link #of(Limit...)}.
   *
   * @param limits the tiers, 1 to 8
   * @return the options
   */
  public static RateLimiterOptions of(List<Limit> limits) {
    return new RateLimiterOptions(
        limits, 0, CarryOver.KEEP, Map.of(), Outage.closed(), Duration.ofMillis(50), false);
  }

  /**
   * Numbers this policy.
   *
   * @param version 1 to 65535, higher than that of every policy it replaces
   * @param carryOver what becomes of permits that were spent under a lower version
   * @return changed options
   */
  public RateLimiterOptions version(int version, CarryOver carryOver) {
    return new RateLimiterOptions(limits, version, carryOver, overrides, outage, deadline, leasing);
  }

  /**
   * Gives one key limits of its own.
   *
   * @param key the key
   * @param limits its tiers instead of the common ones
   * @return changed options
   */
  public RateLimiterOptions override(String key, Limit... limits) {
    Map<String, List<Limit>> more = new LinkedHashMap<>(overrides);
    more.put(requireNonNull(key, "key must not be null"), List.of(limits));
    return new RateLimiterOptions(this.limits, version, carryOver, more, outage, deadline, leasing);
  }

  /**
   * Says what to answer while the store does not.
   *
   * @param outage the policy
   * @return changed options
   */
  public RateLimiterOptions outage(Outage outage) {
    return new RateLimiterOptions(limits, version, carryOver, overrides, outage, deadline, leasing);
  }

  /**
   * Bounds the wait for the store's answer.
   *
   * @param deadline 1 ms to 1 minute
   * @return changed options
   */
  public RateLimiterOptions deadline(Duration deadline) {
    return new RateLimiterOptions(limits, version, carryOver, overrides, outage, deadline, leasing);
  }

  /**
   * Lets this process take permits in advance and hand them out without a round trip, and remember
   * until when the store refuses. For keys with hundreds of calls a second. The store then keeps
   * back 1 % of the limit, so that permits which are used a little later than they were taken never
   * break it; every process of the limiter must say this.
   *
   * @return changed options
   */
  public RateLimiterOptions leasingPermits() {
    return new RateLimiterOptions(limits, version, carryOver, overrides, outage, deadline, true);
  }
}
