package dev.sluice.console.fleet;

import dev.sluice.console.http.Numbers;
import dev.sluice.console.http.Refusal;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.text.Names;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * The effect of a change of a limiter's policy.
 *
 * @param limiter the name
 * @param before the policies that processes have now, each once
 * @param after the policy that they would have
 * @param version its version, above those of the processes and of the policy book
 * @param processes how many processes would take it over
 * @param growth how many times as much it admits as the strictest of those before
 */
public record LimitChange(
    String limiter,
    List<String> before,
    List<Limit> after,
    int version,
    int processes,
    double growth) {
  private static final double MAX_GROWTH = 10;

  /**
   * Plans a change without applying it.
   *
   * @param inBook the version in the policy book, 0 if it has none
   * @throws Refusal if no process that shows its figures has the limiter
   */
  public static LimitChange of(Fleet fleet, int inBook, String limiter, List<Limit> limits) {
    long version = fleet.version(limiter);
    if (version < 0) {
      throw new Refusal(
          404,
          "no-such-limiter",
          "no process that reports its counts has limiter " + Names.quoted(limiter));
    }
    long next = Math.max(version, inBook) + 1;
    if (next > 65_535) {
      throw new Refusal(409, "no-version-left", "the highest version, 65535, is in use");
    }
    List<List<String>> policies = fleet.policies(limiter);
    return new LimitChange(
        limiter,
        policies.stream().map(each -> String.join(" + ", each)).distinct().toList(),
        limits,
        (int) next,
        policies.size(),
        policies.stream().mapToDouble(each -> growth(each, limits)).max().orElse(1));
  }

  /** Returns whether the change needs a second confirmation. */
  boolean isLarge() {
    return growth > MAX_GROWTH;
  }

  public Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("before", before);
    json.put("limits", after.stream().map(Limit::toString).toList());
    json.put("version", version);
    json.put("processes", processes);
    json.put("large", isLarge());
    if (Double.isFinite(growth)) {
      json.put("growth", Numbers.round(growth));
    }
    return json;
  }

  /**
   * Checks that the change is allowed.
   *
   * @param large whether it may admit more than ten times as much
   * @throws Refusal if it may not
   */
  public void requireSmallOr(boolean large) {
    if (isLarge() && !large) {
      throw new Refusal(
          409,
          "large-change",
          "the policy may admit more than "
              + (int) MAX_GROWTH
              + " times as much as now: send \"large\": true if it is to");
    }
  }

  /**
   * The tiers.
   *
   * @throws IllegalArgumentException if they break a rule
   */
  public static List<Limit> tiers(List<String> texts) {
    List<Limit> tiers = new ArrayList<>();
    for (String text : texts) {
      tiers.add(Limit.parse(text.trim()));
    }
    return RateLimiterOptions.of(tiers).limits();
  }

  /**
   * The greatest factor by which another policy admits more than the one before: in a burst or in
   * the long run, for one key or for all keys together. A policy admits what its tightest tier
   * admits.
   *
   * @return infinity if the policy before is none that can be read here
   */
  static double growth(List<String> before, List<Limit> after) {
    List<Limit> known;
    try {
      known = tiers(before);
    } catch (IllegalArgumentException e) {
      return Double.POSITIVE_INFINITY;
    }
    double growth = 0;
    for (Predicate<Limit> counted : List.<Predicate<Limit>>of(each -> true, Limit::isShared)) {
      for (ToDoubleFunction<Limit> number :
          List.<ToDoubleFunction<Limit>>of(LimitChange::atOnce, LimitChange::inTheLongRun)) {
        double now = tightest(known, counted, number);
        if (Double.isFinite(now)) {
          growth = Math.max(growth, tightest(after, counted, number) / now);
        }
      }
    }
    return growth;
  }

  private static double tightest(
      List<Limit> tiers, Predicate<Limit> counted, ToDoubleFunction<Limit> number) {
    return tiers.stream()
        .filter(counted)
        .mapToDouble(number)
        .min()
        .orElse(Double.POSITIVE_INFINITY);
  }

  private static double atOnce(Limit limit) {
    return Math.max(1, limit.capacity());
  }

  private static double inTheLongRun(Limit limit) {
    return (double) limit.count() / limit.periodMicros();
  }
}
