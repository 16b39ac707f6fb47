package dev.sluice.internal.limit;

import dev.sluice.SluiceException;
import dev.sluice.limit.Limit;
import dev.sluice.limit.LimitPlans;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.Ticker;
import dev.sluice.text.Names;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The compiled policy of a limiter. */
final class LimitPolicy {
  private static final System.Logger LOG = System.getLogger("dev.sluice.limit");
  private static final int MAX_UNKNOWN_PLANS = 100;

  /** The largest share of a window, or of a full bucket, for which leased permits may be kept. */
  private static final int SLACK_SHARE = 100;

  private static final long MAX_SLACK_MICROS = TimeUnit.SECONDS.toMicros(1);

  /** The longest wait in a queue, as in the other algorithms. */
  static final long MAX_WAIT_MICROS = TimeUnit.HOURS.toMicros(1);

  /** The tiers of a key. */
  static final class Tiers {
    final List<Limit> limits;

    final List<LimitRule> rules;

    /** The largest cost that can ever pass. */
    final long capacity;

    /** A hash of the limits and the version, equal in all processes with the same policy. */
    final long checksum;

    /** The time for which permits may be kept before use; 0 for not at all. */
    final long slackMicros;

    /** Whether a window ends for all permits at the same time. */
    final boolean hasEdges;

    /** The most permits that one request leases. */
    final long maxLease;

    /** The interval between two callers of a queue, in microseconds; 0 if this is no queue. */
    final long intervalMicros;

    final int places;

    /** The name of a queue in decisions. */
    final String queueName;

    private Tiers(List<Limit> limits, RateLimiterOptions options, long slack) {
      this.limits = limits;
      checksum = UsageId.checksum(options.version() + " " + limits);
      Limit first = limits.get(0);
      hasEdges = limits.stream().anyMatch(Tiers::hasEdges);
      queueName = first.name().isEmpty() ? "1" : first.name();
      slackMicros = slack;
      if (first.algorithm() == Limit.Algorithm.LEAKY_QUEUE) {
        rules = List.of();
        capacity = first.capacity();
        maxLease = 0;
        places = (int) first.capacity();
        intervalMicros = QueueRequest.intervalMicros(first);
        return;
      }
      rules = LimitRule.of(limits, options.version(), options.carryOver(), slackMicros);
      capacity =
          rules.stream()
              .filter(rule -> !rule.perCall())
              .mapToLong(LimitRule::capacity)
              .min()
              .orElse(LimitRule.MAX_COST);
      maxLease = capacity / SLACK_SHARE;
      places = 0;
      intervalMicros = 0;
    }

    boolean isQueue() {
      return intervalMicros > 0;
    }

    /** A share of the shortest window; zero where that share is less than one permit. */
    private static long slack(List<Limit> limits) {
      long slack = MAX_SLACK_MICROS;
      for (Limit limit : limits) {
        if (limit.algorithm() == Limit.Algorithm.LEAKY_QUEUE
            || limit.isPerCall() // what goes back is permits, and here calls are counted
            || limit.capacity() < SLACK_SHARE
            || (limits.size() > 1 && hasEdges(limit))) {
          return 0;
        }
        long full = // time in which a full bucket drains, or the window
            (long) ((double) limit.capacity() / limit.count() * limit.periodMicros());
        slack = Math.min(slack, full / SLACK_SHARE);
      }
      return slack;
    }

    /**
     * Whether permits must not be kept beyond the end of a window; the store returns only the end
     * of the deciding tier.
     */
    private static boolean hasEdges(Limit limit) {
      return limit.algorithm() == Limit.Algorithm.FIXED_WINDOW
          || limit.algorithm() == Limit.Algorithm.EXPIRING_WINDOW;
    }
  }

  final RateLimiterOptions options;
  private final Tiers common;
  private final Map<String, Tiers> overrides = new HashMap<>();
  private final Map<String, Tiers> plans = new HashMap<>();
  private final @Nullable LimitPlans planOf;

  /** Names of plans without limits, for which a warning was logged. */
  private final Set<String> unknownPlans = ConcurrentHashMap.newKeySet();

  private final String what;
  final OutageFallback outageFallback;

  /**
   * Compiles a policy.
   *
   * @param before the one that it replaces; its share of the limit while the store is away goes on
   */
  LimitPolicy(
      String what, RateLimiterOptions options, Ticker ticker, @Nullable LimitPolicy before) {
    this.what = what;
    this.options = options;
    this.planOf = options.plans().isEmpty() ? null : options.planOf().orElse(null);
    if (planOf == null && !options.plans().isEmpty()) {
      throw new IllegalArgumentException(
          what
              + " has plans "
              + new TreeSet<>(options.plans().keySet())
              + ", but planOf is not set");
    }
    this.common = tiers(options.limits());
    options.overrides().forEach((key, limits) -> overrides.put(key, tiers(limits)));
    options.plans().forEach((plan, limits) -> plans.put(plan, tiers(limits)));
    this.outageFallback =
        before != null && before.options.outage().equals(options.outage())
            ? before.outageFallback
            : new OutageFallback(what, options.outage(), ticker);
  }

  private Tiers tiers(List<Limit> limits) {
    if (!options.isLeasing()) {
      return new Tiers(limits, options, 0);
    }
    long slack = Tiers.slack(limits);
    if (limits.stream().anyMatch(Limit::isShared)) { // one count must have one rule for all callers
      slack = Math.min(slack, Tiers.slack(options.limits()));
      for (Map<String, List<Limit>> others : List.of(options.overrides(), options.plans())) {
        for (List<Limit> each : others.values()) {
          slack = Math.min(slack, Tiers.slack(each));
        }
      }
    }
    return new Tiers(limits, options, slack);
  }

  /**
   * Finds the tiers of a key. Calls the function that returns its plan, so only the thread of a
   * caller may use this.
   */
  Tiers of(String key) {
    Tiers own = overrides.isEmpty() ? null : overrides.get(key);
    return own != null ? own : planOf == null ? common : ofPlan(planOf, key);
  }

  private Tiers ofPlan(LimitPlans planOf, String key) {
    String plan;
    try {
      plan = planOf.planOf(key);
    } catch (RuntimeException e) {
      throw new SluiceException(
          what + ": the LimitPlans function failed, and nothing was counted: " + e, e);
    }
    if (plan == null) {
      return common;
    }
    Tiers tiers = plans.get(plan);
    if (tiers != null) {
      return tiers;
    }
    if (unknownPlans.size() < MAX_UNKNOWN_PLANS && unknownPlans.add(plan)) {
      LOG.log(
          System.Logger.Level.WARNING,
          what
              + " has no limits for plan "
              + Names.quoted(plan)
              + ": its keys get the limits of keys without a plan");
    }
    return common;
  }
}
