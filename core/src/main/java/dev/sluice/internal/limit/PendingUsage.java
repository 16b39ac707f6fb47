package dev.sluice.internal.limit;

import dev.sluice.internal.call.Failures;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Settlement;
import dev.sluice.limit.Usage;
import dev.sluice.text.Names;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A use that has begun, or was refused. Safe for use by many threads. */
final class PendingUsage implements Usage {
  private final UsageCalls uses;
  private final LimitPolicy.Tiers tiers;
  private final String key;
  private final UsageId id;
  private final Decision decision;

  /** The store's answer, once it is known. */
  private volatile @Nullable Settlement outcome;

  PendingUsage(
      UsageCalls uses, LimitPolicy.Tiers tiers, String key, UsageId id, Decision decision) {
    this.uses = uses;
    this.tiers = tiers;
    this.key = key;
    this.id = id;
    this.decision = decision;
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
    return id.estimate();
  }

  @Override
  public String id() {
    return id.text(uses.calls.name(), key);
  }

  @Override
  public Settlement settle(long actual) {
    return await(end(UsageCalls.checked(actual), false));
  }

  @Override
  public Settlement refund() {
    return await(end(0, true));
  }

  @Override
  public CompletionStage<Settlement> settleAsync(long actual) {
    return end(UsageCalls.checked(actual), false);
  }

  @Override
  public CompletionStage<Settlement> refundAsync() {
    return end(0, true);
  }

  private Settlement await(CompletableFuture<Settlement> answer) {
    return Failures.await(answer, "rate limiter " + Names.quoted(uses.calls.name()));
  }

  private CompletableFuture<Settlement> end(long actual, boolean unused) {
    uses.calls.store.checkOpen();
    if (!decision.allowed()) {
      throw new IllegalStateException(
          "rate limiter "
              + Names.quoted(uses.calls.name())
              + " refused key "
              + Names.quoted(key)
              + ", so there is nothing to settle: look at decision().allowed() first");
    }
    Settlement known = outcome;
    if (known != null) {
      return uses.calls.settledAlready(
          known == Settlement.LATE ? Settlement.LATE : Settlement.REPEATED);
    }
    return uses.settle(key, tiers, id, actual, unused, settlement -> outcome = settlement);
  }
}
