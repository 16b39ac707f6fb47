package dev.sluice.micrometer;

import static java.util.Objects.requireNonNull;

import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterStats;
import dev.sluice.limit.SettlementStats;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToLongFunction;

/**
 * Meters of a rate limiter's decisions in this process, for Micrometer. Needs {@code
 * micrometer-core}, which the application brings.
 *
 * <ul>
 *   <li>{@code sluice.limiter.decisions}: calls; {@code result} is {@code allowed} or {@code
 *       refused}.
 *   <li>{@code sluice.limiter.decisions.local}: those of them that needed no answer of the store;
 *       {@code by} is {@code lease} (permits taken in advance), {@code memo} (the store had refused
 *       before) or {@code outage} (the store did not answer, and the outage policy decided).
 *   <li>{@code sluice.limiter.trips}: round trips to the store.
 *   <li>{@code sluice.limiter.settlements}: calls that settled or refunded a use; {@code result} is
 *       {@code settled}, {@code refunded}, {@code repeated}, {@code late}, {@code not_held} or
 *       {@code failed}.
 *   <li>{@code sluice.limiter.estimate.error}: permits by which estimates differed from the costs
 *       of settled and refunded uses; {@code estimate} is {@code high} or {@code low}.
 *   <li>{@code sluice.limiter.clock.steps}: decisions that found the store's clock behind an
 *       earlier one.
 *   <li>{@code sluice.limiter.policy.version}: version of the policy in force in this process. It
 *       differs between processes while one of them has not taken over an entry of the policy book.
 * </ul>
 *
 * <p>All carry the tag {@code limiter}, its name. None carries a key, so the number of meters does
 * not depend on the number of keys. Reading them asks the store nothing.
 *
 * <pre>{@code
 * LimiterMetrics.of(limiter).bindTo(registry);
 * }</pre>
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
public final class LimiterMetrics implements MeterBinder {
  private final RateLimiter limiter; // a registry keeps a weak reference to it

  private LimiterMetrics(RateLimiter limiter) {
    this.limiter = limiter;
  }

  /**
   * Meters of a limiter, which do not keep it alive.
   *
   * @param limiter the limiter
   * @return what binds them
   */
  public static LimiterMetrics of(RateLimiter limiter) {
    return new LimiterMetrics(requireNonNull(limiter, "limiter must not be null"));
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    String decisions = "sluice.limiter.decisions";
    String calls = "Calls that the limiter decided";
    count(registry, decisions, calls, RateLimiterStats::allowed, "result", "allowed");
    count(registry, decisions, calls, RateLimiterStats::refused, "result", "refused");
    String local = "sluice.limiter.decisions.local";
    String alone = "Calls that were decided without an answer of the store";
    count(registry, local, alone, RateLimiterStats::fromLease, "by", "lease");
    count(registry, local, alone, RateLimiterStats::fromMemo, "by", "memo");
    count(registry, local, alone, RateLimiterStats::fromFallback, "by", "outage");
    count(registry, "sluice.limiter.trips", "Round trips to the store", RateLimiterStats::trips);
    count(
        registry,
        "sluice.limiter.clock.steps",
        "Decisions that found the store's clock behind an earlier one",
        RateLimiterStats::clockSteps);
    settled(registry, SettlementStats::settled, "settled");
    settled(registry, SettlementStats::refunded, "refunded");
    settled(registry, SettlementStats::repeated, "repeated");
    settled(registry, SettlementStats::late, "late");
    settled(registry, SettlementStats::notHeld, "not_held");
    settled(registry, SettlementStats::failed, "failed");
    misjudged(registry, SettlementStats::overestimated, "high");
    misjudged(registry, SettlementStats::underestimated, "low");
    Gauge.builder("sluice.limiter.policy.version", limiter, one -> one.options().version())
        .tag("limiter", limiter.name())
        .description("Version of the policy in force in this process")
        .register(registry);
  }

  private void settled(
      MeterRegistry registry, ToLongFunction<SettlementStats> number, String result) {
    count(
        registry,
        "sluice.limiter.settlements",
        "Calls that settled or refunded a use",
        stats -> number.applyAsLong(stats.settlements()),
        "result",
        result);
  }

  private void misjudged(
      MeterRegistry registry, ToLongFunction<SettlementStats> permits, String estimate) {
    count(
        registry,
        "sluice.limiter.estimate.error",
        "Permits by which estimates differed from the costs of uses",
        stats -> permits.applyAsLong(stats.settlements()),
        "estimate",
        estimate);
  }

  private void count(
      MeterRegistry registry,
      String name,
      String description,
      ToLongFunction<RateLimiterStats> number,
      String... tags) {
    FunctionCounter.builder(name, limiter, one -> (double) number.applyAsLong(one.stats()))
        .tags("limiter", limiter.name())
        .tags(tags)
        .description(description)
        .register(registry);
  }
}
