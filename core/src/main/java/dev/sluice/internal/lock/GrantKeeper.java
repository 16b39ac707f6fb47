package dev.sluice.internal.lock;

import dev.sluice.internal.call.Durations;
import dev.sluice.internal.call.Failures;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockStats;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.RenewReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The grants of this process for one name: shared by local callers, renewed while in use, doubted
 * and lost when the store is silent, released when unused. Guarded by the monitor of its
 * coordinator, but for what comes in from outside: renewals and their answers.
 */
final class GrantKeeper {
  /*
   * All leases get their tokens from the latest grant, whichever grant their units are of; so
   * tokens grow with each lease of this process. A token may outlive its grant's units: it is
   * reserved for ever. It might collide only with a grant that our units exclude. The store made
   * such a grant either before that block or after our units were back.
   */

  /** The unit of time of stores, below which they cannot distinguish. */
  private static final long MICRO_NANOS = TimeUnit.MICROSECONDS.toNanos(1);

  /** A grant is never shortened; a renewal by so little only checks that it exists. */
  private static final long ASKS_ONLY_NANOS = MICRO_NANOS;

  /** The pause between two attempts to reduce a grant at the store. */
  private static final long SHRINK_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long MIN_RENEWAL_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final String GONE = "the store no longer has its grant";

  private final GrantStore store;
  private final String name;
  private final Effects effects;
  private final LongConsumer drive;

  private final List<LocalGrant> grants = new ArrayList<>(1);
  private @Nullable LocalGrant latest;
  private long lent;
  private long granted;
  private long losses;

  /**
   * @param drive takes the next step for the state; gets the present
   */
  GrantKeeper(GrantStore store, String name, Effects effects, LongConsumer drive) {
    this.store = store;
    this.name = name;
    this.effects = effects;
    this.drive = drive;
  }

  // ---- what there is ----

  boolean isEmpty() {
    return grants.isEmpty();
  }

  /** {@return all grants} To be copied before one of them ends. */
  List<LocalGrant> all() {
    return grants;
  }

  /** Whether this process has all units. */
  boolean hasAll(UnitRequest unitRequest) {
    long units = 0;
    for (LocalGrant grant : grants) {
      units += grant.units;
    }
    return units >= unitRequest.capacity();
  }

  LockStats stats() {
    return new LockStats(lent, granted, losses);
  }

  /** A release found that the lease was lost. */
  void countLoss() {
    losses++;
  }

  // ---- lending ----

  /** {@return a grant that has room for such a caller, or null} */
  @Nullable LocalGrant serving(LockOptions options, UnitRequest unitRequest, long now) {
    for (LocalGrant grant : grants) {
      if (grant.hasRoomFor(unitRequest) && canServe(grant, options, unitRequest, now)) {
        return grant;
      }
    }
    return null;
  }

  /** Whether a grant suits such a caller once it has room. */
  boolean canServe(LocalGrant grant, LockOptions options, UnitRequest unitRequest, long now) {
    if (latest == null
        || latest.nextToken > latest.lastToken
        || grant.inDoubt
        || grant.hasHadItsTurns(now)
        || !grant.suits(options, unitRequest)) {
      return false;
    }
    return grant.turns == 0
        ? store.rules.isGood(now, grant.deadline)
        : store.rules.mayHandOff(now, grant.deadline, grant.confirmedNanos);
  }

  LocalLease lend(
      LocalLease.LeaseIssuer issuer,
      LocalGrant grant,
      UnitRequest unitRequest,
      long now,
      @Nullable Thread boundTo) {
    lent++;
    grant.turns++;
    grant.idle = false;
    LocalGrant source = latest == null ? grant : latest;
    LocalLease lease = new LocalLease(issuer, grant, unitRequest, source.nextToken++, now, boundTo);
    grant.lend(lease);
    if (grant.isToBeConfirmed() && !grant.renewalUnderWay && grant.nextAt - grant.renewAt > 0) {
      planNext(grant, now); // renewal was held back for the last lease, and this one needs it
    }
    return lease;
  }

  // ---- grants that begin and end ----

  void hold(
      StoreAttempt.Request request,
      GrantReply.Granted answer,
      long deadline,
      long longestNanos,
      boolean wanted,
      long now) {
    LocalGrant grant = new LocalGrant(request.sent, request.options, request.unitRequest, answer);
    grants.add(grant);
    latest = grant;
    granted++;
    grant.longestNanos = longestNanos;
    long margin = store.rules.margin(answer.remainingNanos(), grant.ttlNanos);
    boolean whole = !store.mayGrantShorterThanTtl();
    if (!whole) {
      grant.lasts(request.sentAt + request.ttlNanos - store.rules.margin(grant.ttlNanos));
    }
    long nanos = whole ? grant.ttlNanos : deadline + margin - request.sentAt;
    grant.confirmedUntil(deadline, nanos, margin, whole);
    if (answer.waiting() > 0 || wanted) {
      grant.markWanted(now);
    }
    planNext(grant, now);
  }

  void drop(LocalGrant grant) {
    grant.gone = true;
    if (grant.next != null) {
      grant.next.cancel();
      grant.next = null;
    }
    grants.remove(grant);
    grant.clear();
  }

  /**
   * Drops a grant that no caller here can use; the next attempt ends it at the store.
   *
   * @return the longest lease that the store was asked for under it; 0 if there is none
   */
  long replace() {
    long longest = 0;
    while (!grants.isEmpty()) {
      longest = grants.get(0).longestNanos;
      drop(grants.get(0));
    }
    return longest;
  }

  /** Releases the units that no caller uses. */
  CompletableFuture<Boolean> giveBack(LocalGrant grant) {
    if (grant.used() == 0) {
      drop(grant);
      return release(grant);
    }
    grant.units = grant.used();
    CompletableFuture<Boolean> told = new CompletableFuture<>();
    shrink(grant, told);
    // the release of the rest may overtake that of a part, which then finds nothing
    return told.thenCompose(live -> live ? told : grant.release);
  }

  private CompletableFuture<Boolean> release(LocalGrant grant) {
    grant.release = store.release(grant.attempt, grant.longestNanos, effects);
    return grant.release;
  }

  /** Releases unused grants, because a close waits for them. */
  void releaseInBackground(LocalGrant grant) {
    store.finishBeforeClose(giveBack(grant));
  }

  /** Releases all free grants except sticky ones. */
  void giveBackFree(long now) {
    for (int i = grants.size() - 1; i >= 0; i--) { // one that ends leaves the list
      if (grants.get(i).free() > 0 && !keepsIdle(grants.get(i), now)) {
        releaseInBackground(grants.get(i));
      }
    }
  }

  /** Repeated while the grant is held: units not reported stay unavailable to all clients. */
  private void shrink(LocalGrant grant, CompletableFuture<Boolean> told) {
    int keep = grant.units;
    effects.add(
        () ->
            store
                .shrink(grant.attempt, keep)
                .whenComplete(
                    (live, failure) -> {
                      if (failure == null) {
                        told.complete(live);
                      } else {
                        told.completeExceptionally(Failures.unwrap(failure));
                      }
                      effects.react(() -> onShrunk(grant, keep, live, failure));
                    }));
  }

  private void onShrunk(
      LocalGrant grant, int keep, @Nullable Boolean live, @Nullable Throwable failure) {
    if (grant.gone || grant.units != keep) {
      return; // it ended, or a later message says more
    }
    if (failure != null) {
      store.timers.in(
          SHRINK_RETRY_NANOS + store.jitter(SHRINK_RETRY_NANOS),
          () -> effects.react(() -> shrinkAgain(grant, keep)));
    } else if (live != null && !live) {
      lose(grant, GONE);
      drive.accept(store.ticker.nanos());
    }
  }

  private void shrinkAgain(LocalGrant grant, int keep) {
    if (!grant.gone && grant.units == keep) {
      shrink(grant, new CompletableFuture<>());
    }
  }

  /** Keeps an unused sticky grant, or returns false. */
  boolean keepsIdle(LocalGrant grant, long now) {
    Duration sticky = grant.options.sticky().orElse(null);
    if (sticky == null || grant.wanted || grant.inDoubt || grant.turns == 0) {
      return false;
    }
    if (grant.used() == 0 && !grant.idle) {
      grant.idle = true;
      grant.idleSince = now;
      if (now + sticky.toNanos() - grant.nextAt < 0) {
        planNext(grant, now);
      }
    }
    return true;
  }

  /**
   * Ends an expired grant.
   *
   * @return whether it is over
   */
  boolean losesIfOver(LocalGrant grant, long now) {
    if (store.rules.isGood(now, grant.deadline)) {
      return false;
    }
    lose(grant, ranOut(grant));
    return true;
  }

  private static String ranOut(LocalGrant grant) {
    return "its lease of " + Durations.shortly(grant.options.ttl()) + " ran out";
  }

  /** The release is sent in any case, so that a late retry of the acquire takes nothing. */
  private void lose(LocalGrant grant, String reason) {
    publishAll(grant, LeaseState.LOST, reason);
    drop(grant);
    store.undo(grant.attempt, grant.longestNanos, effects);
  }

  /** Ends all leases, and releases all grants except delayed releases. */
  List<CompletableFuture<Boolean>> endAll(String reason) {
    List<CompletableFuture<Boolean>> freed = new ArrayList<>();
    for (LocalGrant grant : List.copyOf(grants)) {
      publishAll(grant, LeaseState.RELEASED, reason);
      drop(grant);
      if (!grant.leaving) {
        freed.add(release(grant));
      }
    }
    return freed;
  }

  // ---- time ----

  private void planNext(LocalGrant grant, long now) {
    if (grant.next != null) {
      grant.next.cancel();
    }
    grant.nextAt = grant.dueAt(now);
    grant.next = store.timers.at(grant.nextAt, () -> effects.react(() -> onDue(grant)));
  }

  private void onDue(LocalGrant grant) {
    if (grant.gone) {
      return;
    }
    grant.next = null;
    long now = store.ticker.nanos();
    Duration sticky = grant.options.sticky().orElse(null);
    if (losesIfOver(grant, now)) {
      drive.accept(now);
    } else if (grant.idle && sticky != null && now - grant.idleSince - sticky.toNanos() >= 0) {
      releaseInBackground(grant);
      drive.accept(now);
    } else {
      tend(grant, now);
    }
  }

  private void tend(LocalGrant grant, long now) {
    if (!grant.renewalUnderWay && now - grant.renewAt >= 0 && grant.mayAskFor(now)) {
      grant.renewalUnderWay = true;
      sendRenewal(grant, now, grant.nextNanos(now, grant.mayRenew(now)), true);
    }
    if (grant.isToBeConfirmed() && !grant.inDoubt && now - grant.doubtAt() >= 0) {
      doubt(grant, true);
    }
    planNext(grant, now);
  }

  // ---- renewal ----

  /** Extends a lease for its holder. */
  CompletableFuture<Boolean> renew(LocalLease lease, long ttlNanos) {
    LocalGrant grant = lease.grant;
    long sentAt;
    synchronized (effects.monitor()) {
      if (!lease.isCurrent()) {
        return CompletableFuture.completedFuture(false);
      }
      sentAt = store.ticker.nanos();
      grant.longestNanos = Math.max(grant.longestNanos, ttlNanos);
    }
    return store
        .renew(grant.attempt, ttlNanos)
        .toCompletableFuture()
        .handle(
            (reply, failure) -> {
              boolean renewed = failure == null && reply instanceof RenewReply.Renewed;
              if (renewed) {
                synchronized (effects.monitor()) {
                  grant.lasts(sentAt + ttlNanos - store.rules.margin(grant.ttlNanos));
                }
              }
              onRenewed(grant, sentAt, ttlNanos, false, reply, failure);
              if (failure != null) {
                throw new CompletionException(Failures.unwrap(failure));
              }
              synchronized (effects.monitor()) {
                return renewed && lease.isCurrent(); // its grant may go on under another lease
              }
            });
  }

  /** Checks whether the grant still exists; a hint that it does not may come from any client. */
  void verify(LocalGrant grant, long now) {
    long ttlNanos =
        grant.mayAskFor(now) ? grant.nextNanos(now, grant.mayRenew(now)) : ASKS_ONLY_NANOS;
    sendRenewal(grant, now, ttlNanos, false);
  }

  /** The store does not know the state of the grant; it is polled until it does. */
  void question(LocalGrant grant, long now) {
    grant.unsure = true;
    if (!grant.inDoubt) {
      doubt(grant, true);
    }
    verify(grant, now);
  }

  private void sendRenewal(LocalGrant grant, long now, long ttlNanos, boolean byTimer) {
    effects.add(
        () ->
            store
                .renew(grant.attempt, ttlNanos)
                .whenComplete(
                    (reply, failure) -> onRenewed(grant, now, ttlNanos, byTimer, reply, failure)));
  }

  private void onRenewed(
      LocalGrant grant,
      long sentAt,
      long ttlNanos,
      boolean byTimer,
      @Nullable RenewReply reply,
      @Nullable Throwable failure) {
    effects.react(
        () -> {
          if (grant.gone) {
            return;
          }
          long now = store.ticker.nanos();
          if (byTimer) {
            grant.renewalUnderWay = false;
          }
          if (reply instanceof RenewReply.Renewed renewed) {
            if (store.rules.renewalCounts(now, grant.deadline)) {
              confirm(grant, sentAt, ttlNanos, renewed, now);
            } else {
              lose(grant, "its renewal was answered after the lease had ended");
            }
          } else if (failure == null) {
            lose(grant, GONE);
          } else {
            grant.renewAt = now + Math.max(MIN_RENEWAL_PAUSE_NANOS, grant.confirmedNanos / 10);
            store.warn(name, "renewal failed and will be retried", Failures.unwrap(failure));
            planNext(grant, now);
          }
          drive.accept(now);
        });
  }

  private void confirm(
      LocalGrant grant, long sentAt, long ttlNanos, RenewReply.Renewed renewed, long now) {
    long deadline = store.rules.deadline(sentAt, now, renewed.remainingNanos(), ttlNanos);
    long later = deadline - grant.deadline > 0 ? deadline : grant.deadline;
    boolean inParts = store.mayGrantShorterThanTtl();
    long margin =
        inParts
            ? store.rules.margin(renewed.remainingNanos(), grant.ttlNanos)
            : store.rules.margin(grant.ttlNanos);
    boolean whole = !inParts || renewed.remainingNanos() > ttlNanos - MICRO_NANOS;
    long nanos = inParts ? later + margin - sentAt : grant.ttlNanos;
    if (!grant.confirmedUntil(later, nanos, margin, whole)) {
      lose(grant, ranOut(grant));
      return;
    }
    if (renewed.waiting() > 0) {
      grant.markWanted(now);
    }
    if (grant.inDoubt && now - grant.doubtAt() < 0) {
      doubt(grant, false);
    }
    for (LocalLease lease = grant.newest(); lease != null; lease = lease.earlier) {
      Runnable news = lease.renewed();
      if (news != null) {
        effects.add(news);
      }
    }
    planNext(grant, now);
  }

  // ---- news ----

  private void doubt(LocalGrant grant, boolean inDoubt) {
    grant.inDoubt = inDoubt;
    publishAll(grant, inDoubt ? LeaseState.IN_DOUBT : LeaseState.HELD, null);
  }

  private void publishAll(LocalGrant grant, LeaseState state, @Nullable String reason) {
    for (LocalLease lease = grant.newest(); lease != null; lease = lease.earlier) {
      publish(lease, state, reason);
    }
  }

  void publish(LocalLease lease, LeaseState state, @Nullable String reason) {
    if (lease.isOver()) {
      return;
    }
    Runnable news = lease.changed(state, reason);
    if (news != null) {
      effects.add(news);
    }
    if (state == LeaseState.LOST) {
      losses++;
      store.warn(() -> String.valueOf(lease.lost().getMessage()));
    }
  }
}
