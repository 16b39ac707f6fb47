package dev.sluice.limit;

import static java.util.Objects.requireNonNull;

import dev.sluice.text.Names;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The policy of a limiter and its application by this process. An immutable value: {@link #of}
 * makes the usual one, and each further method returns a changed copy. Every setting is checked
 * when it is made: a value out of its range throws {@link IllegalArgumentException}.
 *
 * <pre>{@code
 * RateLimiterOptions policy =
 *     RateLimiterOptions.of(Limit.slidingWindow(1000, Duration.ofHours(1)))
 *         .outage(Outage.open()) // a store that is down does not stop the service
 *         .deadline(Duration.ofMillis(20));
 * RateLimiter limiter = sluice.rateLimiter("api", policy);
 * }</pre>
 *
 * @since 0.1
 */
public final class RateLimiterOptions {
  private static final int MAX_TIERS = 8;

  private final Values values;

  private RateLimiterOptions(Values values) {
    this.values = values;
  }

  /** The tiers of a key. */
  private record Keys(
      List<Limit> limits,
      Map<String, List<Limit>> overrides,
      Map<String, List<Limit>> plans,
      Optional<LimitPlans> planOf) {

    Keys {
      limits = checkTiers(limits);
      List<Limit> shared = limits.stream().filter(Limit::isShared).toList();
      overrides = checkOthers("override of", overrides, shared);
      plans = checkOthers("plan", plans, shared);
    }

    private static Map<String, List<Limit>> checkOthers(
        String what, Map<String, List<Limit>> others, List<Limit> shared) {
      Map<String, List<Limit>> checked = new LinkedHashMap<>();
      others.forEach(
          (name, limits) -> {
            List<Limit> tiers = checkTiers(limits);
            if (!tiers.stream().filter(Limit::isShared).toList().equals(shared)) {
              throw new IllegalArgumentException(
                  what
                      + " "
                      + Names.quoted(name)
                      + " must have the same shared tiers as the others: "
                      + shared);
            }
            checked.put(name, tiers);
          });
      return Map.copyOf(checked);
    }
  }

  private record Values(
      Keys keys,
      int version,
      CarryOver carryOver,
      Outage outage,
      Duration deadline,
      boolean leasing,
      Duration settleWithin) {

    Values {
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
      requireNonNull(settleWithin, "settleWithin must not be null");
      if (settleWithin.compareTo(Duration.ofSeconds(1)) < 0
          || settleWithin.compareTo(Duration.ofDays(1)) > 0) {
        throw new IllegalArgumentException("settleWithin must be 1s to 1d: " + settleWithin);
      }
    }
  }

  private static List<Limit> checkTiers(List<Limit> limits) {
    List<Limit> tiers = List.copyOf(limits);
    if (tiers.isEmpty() || tiers.size() > MAX_TIERS) {
      throw new IllegalArgumentException("limits must be 1 to " + MAX_TIERS + ": " + tiers.size());
    }
    Set<String> names = new HashSet<>();
    for (int i = 0; i < tiers.size(); i++) {
      Limit tier = tiers.get(i).exact();
      if (tier.algorithm() == Limit.Algorithm.LEAKY_QUEUE && tiers.size() > 1) {
        throw new IllegalArgumentException(
            "a leaky queue must be the only limit of its limiter: there are " + tiers.size());
      }
      if (!names.add(tier.name().isEmpty() ? Integer.toString(i + 1) : tier.name())) {
        throw new IllegalArgumentException("limits must have different names: " + tier.name());
      }
    }
    return tiers;
  }

  /**
   * A policy without a version: closed while the store is unreachable, a timeout of 50 ms, and
   * every decision by the store.
   *
   * @param limits the tiers, 1 to 8, decided all or nothing
   * @return the options
   */
  public static RateLimiterOptions of(Limit... limits) {
    return of(List.of(limits));
  }

  /**
   * Returns options as {@link #of(Limit...)}.
   *
   * @param limits the tiers, 1 to 8
   * @return the options
   */
  public static RateLimiterOptions of(List<Limit> limits) {
    return new RateLimiterOptions(
        new Values(
            new Keys(limits, Map.of(), Map.of(), Optional.empty()),
            0,
            CarryOver.KEEP,
            Outage.closed(),
            Duration.ofMillis(50),
            false,
            Duration.ofMinutes(10)));
  }

  /**
   * Replaces the tiers.
   *
   * @param limits the tiers, 1 to 8, decided all or nothing
   * @return changed options
   */
  public RateLimiterOptions limits(List<Limit> limits) {
    Keys keys = values.keys;
    return with(new Keys(limits, keys.overrides, keys.plans, keys.planOf));
  }

  private RateLimiterOptions with(Keys keys) {
    Values v = values;
    return new RateLimiterOptions(
        new Values(keys, v.version, v.carryOver, v.outage, v.deadline, v.leasing, v.settleWithin));
  }

  /**
   * Sets the version of this policy. Where two versions meet at one key, the higher one rules for
   * both.
   *
   * @param version 1 to 65535, higher than that of every policy it replaces (default: no version)
   * @param carryOver what becomes of permits that were spent under a lower version
   * @return changed options
   */
  public RateLimiterOptions version(int version, CarryOver carryOver) {
    Values v = values;
    return new RateLimiterOptions(
        new Values(v.keys, version, carryOver, v.outage, v.deadline, v.leasing, v.settleWithin));
  }

  /**
   * Overrides the limits of one key.
   *
   * @param key the key
   * @param limits its tiers instead of the common ones
   * @return changed options
   */
  public RateLimiterOptions override(String key, Limit... limits) {
    return overrides(with(values.keys.overrides, "key", key, limits));
  }

  private static Map<String, List<Limit>> with(
      Map<String, List<Limit>> present, String what, String name, Limit... limits) {
    Map<String, List<Limit>> more = new LinkedHashMap<>(present);
    more.put(requireNonNull(name, what + " must not be null"), List.of(limits));
    return more;
  }

  /**
   * Replaces the limits of single keys.
   *
   * @param overrides tiers by key, instead of the common ones
   * @return changed options
   */
  public RateLimiterOptions overrides(Map<String, List<Limit>> overrides) {
    Keys keys = values.keys;
    return with(new Keys(keys.limits, overrides, keys.plans, keys.planOf));
  }

  /**
   * Overrides the limits of all keys of a plan. {@link #planOf} maps a key to its plan. An override
   * of a single key takes precedence over its plan. Shared tiers must be the same in all plans.
   *
   * @param name the plan, as {@link LimitPlans} returns it, case-sensitive
   * @param limits the tiers of each key of the plan instead of the common ones, 1 to 8
   * @return changed options
   */
  public RateLimiterOptions plan(String name, Limit... limits) {
    return plans(with(values.keys.plans, "plan", name, limits));
  }

  /**
   * Replaces the limits of all plans.
   *
   * @param plans tiers by plan, instead of the common ones
   * @return changed options
   */
  public RateLimiterOptions plans(Map<String, List<Limit>> plans) {
    Keys keys = values.keys;
    return with(new Keys(keys.limits, keys.overrides, plans, keys.planOf));
  }

  /**
   * Sets the function that returns the plan of a key. A limiter with plans needs one. Keep the
   * function in a field: options with another function object are a different policy.
   *
   * @param function called for each decision while the policy has plans
   * @return changed options
   */
  public RateLimiterOptions planOf(LimitPlans function) {
    Keys keys = values.keys;
    return with(
        new Keys(
            keys.limits,
            keys.overrides,
            keys.plans,
            Optional.of(requireNonNull(function, "function must not be null"))));
  }

  /**
   * Sets the decision while the store is unreachable.
   *
   * @param outage the policy (default: {@link Outage#closed})
   * @return changed options
   */
  public RateLimiterOptions outage(Outage outage) {
    Values v = values;
    return new RateLimiterOptions(
        new Values(v.keys, v.version, v.carryOver, outage, v.deadline, v.leasing, v.settleWithin));
  }

  /**
   * Sets the timeout of a request to the store.
   *
   * @param deadline 1 ms to 1 minute (default: 50 ms)
   * @return changed options
   */
  public RateLimiterOptions deadline(Duration deadline) {
    Values v = values;
    return new RateLimiterOptions(
        new Values(v.keys, v.version, v.carryOver, v.outage, deadline, v.leasing, v.settleWithin));
  }

  /**
   * Lets this process lease permits in advance, decide calls without a round trip, and cache
   * refusals of the store. For keys with hundreds of calls a second. The store then keeps back 1 %
   * of the limit, so that permits which are used a little later than they were taken never break
   * it; every process of the limiter must use this.
   *
   * @return changed options
   */
  public RateLimiterOptions leasing() {
    Values v = values;
    return new RateLimiterOptions(
        new Values(v.keys, v.version, v.carryOver, v.outage, v.deadline, true, v.settleWithin));
  }

  /**
   * Sets the time after its start within which a use can be settled. The store remembers the id of
   * a settled use as long, so that a repeated settlement counts once.
   *
   * @param time 1 second to 1 day (default: 10 minutes)
   * @return changed options
   */
  public RateLimiterOptions settleWithin(Duration time) {
    Values v = values;
    return new RateLimiterOptions(
        new Values(v.keys, v.version, v.carryOver, v.outage, v.deadline, v.leasing, time));
  }

  /** {@return the tiers, 1 to 8} */
  public List<Limit> limits() {
    return values.keys.limits;
  }

  /** {@return the version of this policy, 0 if it has none} */
  public int version() {
    return values.version;
  }

  /** {@return the treatment of spent permits when this version replaces a lower one} */
  public CarryOver carryOver() {
    return values.carryOver;
  }

  /** {@return the tiers of single keys} */
  public Map<String, List<Limit>> overrides() {
    return values.keys.overrides;
  }

  /** {@return the tiers of the keys of each plan, by its name} */
  public Map<String, List<Limit>> plans() {
    return values.keys.plans;
  }

  /** {@return the function from a key to its plan; empty if there is none} */
  public Optional<LimitPlans> planOf() {
    return values.keys.planOf;
  }

  /** {@return the decision while the store is unreachable} */
  public Outage outage() {
    return values.outage;
  }

  /** {@return the timeout of a request to the store} */
  public Duration deadline() {
    return values.deadline;
  }

  /** {@return the time after its start within which a use can be settled} */
  public Duration settleWithin() {
    return values.settleWithin;
  }

  /** {@return whether this process may lease permits in advance} */
  public boolean isLeasing() {
    return values.leasing;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RateLimiterOptions options && values.equals(options.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "RateLimiterOptions");
  }
}
