package dev.sluice.internal.limit;

import dev.sluice.internal.call.Failures;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Settlement;
import dev.sluice.limit.Usage;
import dev.sluice.spi.SettleRequest;
import dev.sluice.text.Names;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A use that began, or was refused. Safe for use by many threads. */
final class PendingUsage implements Usage {
  private final LimitCalls calls;
  private final BusyKeys keys;
  private final LimitPolicy.Tiers tiers;
  private final String key;
  private final long estimate;
  private final String id;
  private final Decision decision;

  /** By the store's clock, in microseconds; 0 if the store did not decide. */
  private final long begunAt;

  private final long withinMicros;

  /** What became of it, once the store has said so. */
  private volatile @Nullable Settlement outcome;

  PendingUsage(
      LimitCalls calls,
      BusyKeys keys,
      LimitPolicy.Tiers tiers,
      String key,
      long estimate,
      Decision decision,
      long begunAt) {
    this.calls = calls;
    this.keys = keys;
    this.tiers = tiers;
    this.key = key;
    this.estimate = estimate;
    this.id = calls.store.clientId + "-" + calls.store.nextTicket();
    this.decision = decision;
    this.begunAt = begunAt;
    this.withinMicros = calls.policy().options.settleWithin().toNanos() / 1000;
  }

  @Override
  public Decision decision() {
    return decision;
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public long estimate() {
    return estimate;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public Settlement settle(long actual) {
    return await(end(checked(actual), false));
  }

  @Override
  public Settlement refund() {
    return await(end(0, true));
  }

  @Override
  public CompletionStage<Settlement> settleAsync(long actual) {
    return end(checked(actual), false);
  }

  @Override
  public CompletionStage<Settlement> refundAsync() {
    return end(0, true);
  }

  private static long checked(long actual) {
    if (actual < 0) {
      throw new IllegalArgumentException("actual must be >= 0: " + actual);
    }
    return actual;
  }

  private Settlement await(CompletableFuture<Settlement> answer) {
    return Failures.await(answer, "rate limiter " + Names.quoted(calls.name()));
  }

  private CompletableFuture<Settlement> end(long actual, boolean unused) {
    calls.store.checkOpen();
    if (!decision.allowed()) {
      throw new IllegalStateException(
          "rate limiter "
              + Names.quoted(calls.name())
              + " refused key "
              + Names.quoted(key)
              + ", so there is nothing to settle: look at decision().allowed() first");
    }
    if (begunAt == 0) {
      return calls.settledAlready(Settlement.NOT_HELD);
    }
    Settlement known = outcome;
    if (known != null) {
      return calls.settledAlready(known == Settlement.LATE ? Settlement.LATE : Settlement.REPEATED);
    }
    SettleRequest request =
        new SettleRequest(
            calls.name(), key, tiers.rules, id, estimate, actual, unused, begunAt, withinMicros);
    return calls.settle(
        request,
        settlement -> {
          outcome = settlement;
          keys.forgetRefusal(key); // permits may have come back
        });
  }
}
