package dev.sluice.internal.limit;

import dev.sluice.internal.call.BoundedCalls;
import dev.sluice.internal.call.Failures;
import dev.sluice.limit.Decision;
import dev.sluice.limit.RateLimiterStats;
import dev.sluice.limit.Settlement;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.SettleRequest;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Calls the store for one limiter, counts its decisions and settlements, and decides without the
 * store. Safe for use by many threads.
 */
final class LimitCalls {
  final LimitStore store;
  final BoundedCalls bounded;
  private final String name;
  private final LimiterCounters counters = new LimiterCounters();
  private volatile LimitPolicy policy;

  LimitCalls(LimitStore store, String name, LimitPolicy policy) {
    this.store = store;
    this.name = name;
    this.policy = policy;
    this.bounded =
        new BoundedCalls(
            store.ticker,
            store.timers,
            store.callbacks,
            policy.options.deadline(),
            store.backend::hasAnswered);
  }

  String name() {
    return name;
  }

  LimitPolicy policy() {
    return policy;
  }

  void policy(LimitPolicy newer) {
    policy = newer;
    bounded.deadline(newer.options.deadline());
  }

  RateLimiterStats stats() {
    return counters.stats(bounded.trips());
  }

  LimitRequest request(
      LimitRequest.Verb verb,
      String key,
      LimitPolicy.Tiers tiers,
      long cost,
      int times,
      long maxWaitMicros,
      long takenAtMicros) {
    return new LimitRequest(
        verb, name, key, tiers.rules, cost, times, maxWaitMicros, takenAtMicros);
  }

  Decision allowed(LimitReply reply, long remaining, Decision.Source source) {
    return counters.count(DecisionMapper.passed(reply, remaining, source), reply.clockSteps());
  }

  Decision refused(
      LimitPolicy.Tiers tiers, LimitReply reply, long retryNanos, Decision.Source source) {
    return counters.count(
        DecisionMapper.refused(tiers, reply, retryNanos, source), reply.clockSteps());
  }

  /** A decision of the store. */
  Decision decided(LimitPolicy.Tiers tiers, LimitReply reply) {
    return counters.count(
        DecisionMapper.of(tiers, reply, Decision.Source.STORE), reply.clockSteps());
  }

  /** A decision of the store about a queue. */
  Decision queued(LimitPolicy.Tiers tiers, QueueReply reply) {
    return counters.count(
        DecisionMapper.queued(tiers, reply, Decision.Source.STORE), reply.clockSteps());
  }

  // ---- settlements ----

  /**
   * Settles a use at the store.
   *
   * @param answered called with the answer of the store, before the stage completes
   */
  CompletableFuture<Settlement> settle(SettleRequest request, Consumer<Settlement> answered) {
    return bounded.call(
        () -> store.backend.settle(request),
        (settlement, failure) -> {
          if (settlement == null) {
            counters.countFailedSettlement();
            throw failure == null ? new IllegalStateException("no answer") : failure;
          }
          counters.count(request, settlement);
          answered.accept(settlement);
          return settlement;
        });
  }

  /** A settlement without a change, which needs no request. */
  CompletableFuture<Settlement> settledAlready(Settlement settlement) {
    return CompletableFuture.completedFuture(counters.countUnchanged(settlement));
  }

  // ---- the outage policy ----

  /**
   * A decision without the store.
   *
   * @param delayMicros when a permit is promised for later
   */
  record Fallback(Decision decision, long delayMicros) {}

  /** Decides in place of the store, unless the caller must get the failure. */
  Fallback fallBack(LimitRequest request, LimitPolicy.Tiers tiers, Throwable failure) {
    LimitReply reply = policy.outageFallback.decide(request, tiers, Failures.unwrap(failure));
    return new Fallback(
        counters.count(DecisionMapper.of(tiers, reply, Decision.Source.FALLBACK), 0),
        reply.delay());
  }

  Fallback fallBack(QueueRequest request, LimitPolicy.Tiers tiers, Throwable failure) {
    QueueReply reply = policy.outageFallback.enter(request, Failures.unwrap(failure));
    return new Fallback(
        counters.count(DecisionMapper.queued(tiers, reply, Decision.Source.FALLBACK), 0),
        reply.delay());
  }

  /** Decides calls that take permits immediately or not at all. */
  Decision fallBack(String key, LimitPolicy.Tiers tiers, long cost, Throwable failure) {
    LimitRequest request = request(LimitRequest.Verb.TAKE, key, tiers, cost, 1, 0, 0);
    return fallBack(request, tiers, failure).decision();
  }
}
