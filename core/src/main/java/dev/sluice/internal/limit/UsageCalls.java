package dev.sluice.internal.limit;

import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Settlement;
import dev.sluice.limit.Usage;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.SettleRequest;
import dev.sluice.text.Names;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Begins and settles the uses of one limiter. Safe for use by many threads. */
final class UsageCalls {
  private static final String SETTLING =
      Stream.of(Limit.Algorithm.values())
          .filter(algorithm -> algorithm != Limit.Algorithm.LEAKY_QUEUE)
          .map(Limit.Algorithm::word)
          .collect(Collectors.joining(", "));

  final LimitCalls calls;
  private final BusyKeys keys;

  UsageCalls(LimitCalls calls, BusyKeys keys) {
    this.calls = calls;
    this.keys = keys;
  }

  /** Refuses tiers that count concurrent callers. */
  void checkSettles(LimitPolicy.Tiers tiers) {
    if (tiers.isQueue()) {
      throw new IllegalArgumentException(
          "a leaky queue counts callers and has no estimate: "
              + SETTLING
              + " can be settled, not the limit of rate limiter "
              + Names.quoted(calls.name()));
    }
  }

  CompletableFuture<Usage> begin(String key, LimitPolicy.Tiers tiers, long estimate) {
    LimitRequest request = calls.request(LimitRequest.Verb.BEGIN, key, tiers, estimate, 1, 0, 0);
    return calls.bounded.call(
        () -> calls.store.backend.decide(request),
        (reply, failure) -> {
          if (reply != null) {
            return usage(tiers, request, calls.decided(tiers, reply), reply.at());
          }
          Throwable why = failure == null ? new IllegalStateException("no answer") : failure;
          return usage(tiers, request, calls.fallBack(request, tiers, why).decision(), 0);
        });
  }

  private Usage usage(
      LimitPolicy.Tiers tiers, LimitRequest request, Decision decision, long begunAt) {
    UsageId id =
        new UsageId(
            calls.store.clientId + "-" + calls.store.nextTicket(),
            request.cost(),
            decision.allowed() ? begunAt : 0,
            calls.policy().options.settleWithin().toNanos() / 1000,
            tiers.checksum);
    return new PendingUsage(this, tiers, request.key(), id, decision);
  }

  /** Settles a use that may have begun in another process. */
  CompletableFuture<Settlement> settle(
      String key, LimitPolicy.Tiers tiers, String usageId, long actual, boolean unused) {
    UsageId id = UsageId.of(calls.name(), key, usageId);
    boolean same = id.policy() == tiers.checksum;
    // permits of other limits cannot come back into these
    long counted = same ? checked(actual) : Math.max(checked(actual), id.estimate());
    return settle(key, tiers, id, counted, same && unused, settlement -> {});
  }

  /**
   * Settles a use under the limits that it began under.
   *
   * @param answered called with the answer of the store
   */
  CompletableFuture<Settlement> settle(
      String key,
      LimitPolicy.Tiers tiers,
      UsageId id,
      long actual,
      boolean unused,
      Consumer<Settlement> answered) {
    if (id.begunAt() == 0) {
      return calls.settledAlready(Settlement.NOT_HELD);
    }
    SettleRequest request =
        new SettleRequest(
            calls.name(),
            key,
            tiers.rules,
            id.stored(),
            id.estimate(),
            checked(actual),
            unused,
            id.begunAt(),
            id.withinMicros());
    return calls.settle(
        request,
        settlement -> {
          answered.accept(settlement);
          keys.forgetRefusal(key); // permits may have come back
        });
  }

  static long checked(long actual) {
    if (actual < 0) {
      throw new IllegalArgumentException("actual must be >= 0: " + actual);
    }
    return actual;
  }
}
