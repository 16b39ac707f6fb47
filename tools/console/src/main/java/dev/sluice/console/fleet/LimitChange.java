package dev.sluice.console.fleet;

import dev.sluice.console.http.Json;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * Another policy for a limiter, as a console asks every process for it.
 *
 * @param limiter the name
 * @param limits its tiers from now on, 1 to 8
 * @param version higher than that of every policy it replaces
 */
public record LimitChange(String limiter, List<String> limits, int version) {

  public LimitChange {
    limits = List.copyOf(limits);
  }

  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("limiter", limiter);
    json.put("limits", limits);
    json.put("version", version);
    return json;
  }

  public static LimitChange of(Map<String, Object> json) {
    return new LimitChange(
        Json.text(json, "limiter", 512, ""),
        Json.texts(json, "limits", 8),
        (int) Math.min(65_535, Json.count(json, "version")));
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
   * How many times as much another policy admits as the one before: at once or in the long run, to
   * one key or to all keys together, whichever grows most. A policy admits what its tightest tier
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

  /** Gives a limiter this policy, unless it has it, or a later one. */
  public void applyTo(RateLimiter target) {
    RateLimiterOptions now = target.options();
    if (target.name().equals(limiter) && now.version() < version) {
      target.update(now.limits(tiers(limits)).version(version, CarryOver.KEEP));
    }
  }
}
