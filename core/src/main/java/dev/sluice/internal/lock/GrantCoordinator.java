package dev.sluice.internal.lock;

import dev.sluice.internal.call.Durations;
import dev.sluice.internal.call.Failures;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockStats;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.LockMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Coordinates the callers of this process on one name: the queue of local callers, one request to
 * the store for all of them, and the grants that they share. A lock has one unit; units of other
 * names are lent in parts, and those who read share one, so that a process that reads is one reader
 * to the store.
 *
 * <p>Safe for use by many threads.
 */
final class GrantCoordinator implements LocalLease.LeaseIssuer, StoreAttempt.Owner {
  /*
   * A state machine without threads: callers, replies, messages and timers come in as calls, each
   * changes the state under the monitor and leaves effects (requests, wake-ups) that run after the
   * monitor is left. A simulation drives it from one thread.
   *
   *   idle --caller--> asking --granted--> lending --last release--> idle (or kept, when sticky)
   *                      |  ^ poll, message       |
   *                      v  |                     +--block used up, time or turns over--> asking
   *                     queued
   *
   * Invariants: at most one request is under way; what is free while callers are in the queue
   * waits for the first of them, who was called.
   *
   * Units that no local caller can use go back immediately: when the queue is empty, and when
   * the first in the queue can't use them and asks the store. Only when this process has
   * everything does the first in the queue wait for units to come free here. The next attempt for
   * a lock ends the grant that it replaces at the store, in the same step.
   */

  /** The reason of a lease that ended because the client was closed. */
  private static final String CLOSED = "this Sluice was closed before the lease was released";

  private static final CompletableFuture<Boolean> YES = CompletableFuture.completedFuture(true);

  private enum Joined {
    IN_LINE,
    REFUSED,
    TOO_LATE
  }

  private final GrantStore store;
  private final String name;
  private final Consumer<GrantCoordinator> unused;

  // all below guarded by this
  private final Effects effects = new Effects(this);
  private final WaitQueue queue = new WaitQueue(effects);
  private final StoreAttempt attempt;
  private final GrantKeeper keeper;
  private boolean retired;

  /**
   * @param unused called under the monitor when nothing is held and the queue is empty; may {@link
   *     #retire}
   */
  GrantCoordinator(GrantStore store, String name, Consumer<GrantCoordinator> unused) {
    this.store = store;
    this.name = name;
    this.unused = unused;
    this.attempt = new StoreAttempt(store, name, queue, effects, this);
    this.keeper = new GrantKeeper(store, name, effects, this::drive);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public GrantStore store() {
    return store;
  }

  // ---- callers ----

  /**
   * Takes a free share of a grant of this process.
   *
   * @return the lease, or null
   */
  @Nullable LocalLease takeNow(
      LockOptions options, @Nullable Thread boundTo, UnitRequest unitRequest) {
    if (keeper.isEmpty()) { // seen without the monitor: who misses a grant finds it in join
      return null;
    }
    return takeFree(options, boundTo, unitRequest);
  }

  private synchronized @Nullable LocalLease takeFree(
      LockOptions options, @Nullable Thread boundTo, UnitRequest unitRequest) {
    if (!queue.isEmpty() && !queue.mayOvertake(unitRequest)) {
      return null;
    }
    long now = store.ticker.nanos();
    LocalGrant grant = keeper.serving(options, unitRequest, now);
    if (grant == null) {
      return null;
    }
    if (!queue.isEmpty()) {
      queue.overtook();
    }
    return keeper.lend(this, grant, unitRequest, now, boundTo);
  }

  /**
   * Adds a caller to the queue.
   *
   * @return false if the coordinator is no longer in use; ask the engine for the name's present one
   */
  boolean join(Waiter waiter) {
    Joined joined =
        effects.decide(
            () -> {
              if (retired) {
                return Joined.TOO_LATE;
              }
              if (waiter.once && (isTakenHere(waiter.unitRequest) || queue.hasStayers())) {
                return Joined.REFUSED;
              }
              queue.add(waiter);
              drive(waiter.since, false);
              return Joined.IN_LINE;
            });
    if (joined == Joined.REFUSED) {
      waiter.finish(Outcome.BUSY);
    }
    return joined != Joined.TOO_LATE;
  }

  /** A woken thread takes what it waits for. */
  void arrive(Waiter.OfThread waiter) {
    effects.decide(
        () -> {
          if (waiter.outcome() != null || !waiter.queued) {
            return false;
          }
          waiter.arrived = true;
          drive(store.ticker.nanos(), false);
          return true;
        });
  }

  /**
   * Removes a caller that no longer waits from the queue.
   *
   * @return why the wait ended without a lease, or null if the caller was served in the meantime
   */
  @Nullable RuntimeException leave(Waiter waiter) {
    return effects.decide(
        () -> {
          if (!waiter.queued) {
            return null;
          }
          RuntimeException reason = whyNotServed(waiter);
          queue.remove(waiter);
          drive(store.ticker.nanos(), true);
          return reason;
        });
  }

  private RuntimeException whyNotServed(Waiter waiter) {
    Duration waited = Duration.ofNanos(store.ticker.nanos() - waiter.since);
    String what =
        waiter.unitRequest.of(name) + ": not acquired within " + Durations.shortly(waited);
    RuntimeException unanswered =
        keeper.isEmpty() ? attempt.whyUnanswered(what, waiter.since) : null;
    return unanswered != null
        ? unanswered
        : new LockTimeoutException(what + "; " + whyRefused(waiter.unitRequest));
  }

  /** The reason why this thread does not get the lock, for messages. */
  synchronized String whyRefused(UnitRequest unitRequest) {
    Thread self = Thread.currentThread();
    int reading = 0;
    for (LocalGrant grant : keeper.all()) {
      reading += grant.sharing();
      for (LocalLease lease = grant.newest(); lease != null; lease = lease.earlier) {
        if (lease.taker == self && lease.unitRequest.takesAll()) {
          return "this thread holds it";
        }
      }
    }
    if (reading == 0 || unitRequest.shares()) {
      return unitRequest.refusal();
    }
    return unitRequest.refusal()
        + "; this process itself reads under "
        + reading
        + (reading == 1 ? " lease" : " leases")
        + ", and a lease to read is not upgraded";
  }

  synchronized LockStats stats() {
    return keeper.stats();
  }

  // ---- leases ----

  @Override
  public CompletableFuture<Boolean> renew(LocalLease lease, long ttlNanos) {
    return keeper.renew(lease, ttlNanos);
  }

  @Override
  public CompletableFuture<Boolean> release(LocalLease lease) {
    return effects.decide(
        () -> {
          if (!lease.isCurrent()) {
            return LocalLease.NOTHING;
          }
          long now = store.ticker.nanos();
          LocalGrant grant = lease.grant;
          CompletableFuture<Boolean> freed = LocalLease.NOTHING;
          if (!keeper.losesIfOver(grant, now)) {
            grant.takeBack(lease);
            keeper.publish(lease, LeaseState.RELEASED, null);
            attempt.knows(now);
            boolean free = queue.isEmpty() && grant.free() > 0 && !keeper.keepsIdle(grant, now);
            freed = free ? keeper.giveBack(grant) : YES;
          }
          drive(now, true);
          return freed;
        });
  }

  /** Until the store has confirmed the release, no local caller gets the lock. */
  @Override
  public CompletableFuture<Boolean> releaseAfter(LocalLease lease, long delayNanos) {
    LocalGrant grant = lease.grant;
    boolean left =
        effects.decide(
            () -> {
              if (!lease.isCurrent()) {
                return false;
              }
              long now = store.ticker.nanos();
              if (keeper.losesIfOver(grant, now)) {
                drive(now, true);
                return false;
              }
              grant.leaving = true;
              keeper.publish(lease, LeaseState.RELEASED, null);
              return true;
            });
    if (!left) {
      return LocalLease.NOTHING;
    }
    return store
        .releaseAfter(grant.attempt, delayNanos)
        .toCompletableFuture()
        .handle(
            (ours, failure) -> {
              if (failure == null) {
                effects.react(() -> onLeft(grant));
              } else {
                store.warn(
                    name, "not released, taken until its lease ends", Failures.unwrap(failure));
              }
              return failure != null || ours;
            });
  }

  private void onLeft(LocalGrant grant) {
    if (!grant.gone) {
      keeper.drop(grant);
      drive(store.ticker.nanos(), true);
    }
  }

  /**
   * Downgrades a writer to a reader: other readers may enter, and no writer did in between.
   *
   * @return the lease to read under, with the writer's token; null if the writer's is over
   */
  @Nullable LocalLease downgrade(LocalLease writer) {
    return effects.decide(
        () -> {
          LocalLease reader = null;
          LocalGrant grant = writer.grant;
          long now = store.ticker.nanos();
          if (writer.isCurrent() && !keeper.losesIfOver(grant, now)) {
            grant.takeBack(writer);
            reader =
                new LocalLease(
                    this,
                    grant,
                    UnitRequest.READ,
                    writer.token(),
                    writer.grantedAt,
                    writer.boundTo);
            grant.lend(reader);
            keeper.publish(writer, LeaseState.RELEASED, null);
            keeper.releaseInBackground(grant);
          }
          drive(now, false);
          return reader;
        });
  }

  @Override
  public synchronized void countLoss() {
    keeper.countLoss();
  }

  // ---- the store ----

  /** Handles a message from the store. */
  void onMessage(LockMessage.Kind kind) {
    effects.react(
        () -> {
          long now = store.ticker.nanos();
          switch (kind) {
            case IN_DOUBT -> keeper.all().forEach(grant -> keeper.question(grant, now));
            case WANTED -> {
              keeper.all().forEach(grant -> grant.markWanted(now));
              attempt.onWanted();
              if (!keeper.isEmpty()) {
                drive(now, true);
              }
            }
            case GRANTED -> attempt.onNews(false, now);
            case TAKEN -> {
              if (keeper.isEmpty()) {
                attempt.onNews(true, now);
              } else {
                keeper.all().forEach(grant -> keeper.verify(grant, now));
              }
            }
          }
        });
  }

  @Override
  public void onGranted(
      StoreAttempt.Request request,
      GrantReply.Granted granted,
      long deadline,
      long longestNanos,
      boolean wanted,
      long now) {
    keeper.hold(request, granted, deadline, longestNanos, wanted, now);
  }

  // ---- all below run under the monitor ----

  @Override
  public void drive(long now) {
    drive(now, false);
  }

  /** Takes the next step of the state machine. */
  private void drive(long now, boolean afterRelease) {
    for (Waiter head = queue.first(); head != null; head = queue.first()) {
      LocalGrant grant = keeper.serving(head.options, head.unitRequest, now);
      if (grant == null) {
        whenNotServed(head, now);
        return;
      }
      if (afterRelease && queue.calls(head)) {
        return;
      }
      queue.serve(head, keeper.lend(this, grant, head.unitRequest, now, head.boundTo));
    }
    keeper.giveBackFree(now);
    attempt.giveUp();
    if (keeper.isEmpty() && attempt.isUnused()) {
      unused.accept(this);
    }
  }

  private void whenNotServed(Waiter head, long now) {
    boolean successive = store.attempts == Attempts.SUCCESSIVE;
    boolean waitsHere = successive ? isLent() : waitsForUnits(head, now);
    if (waitsHere) {
      queue.dismissOnce(Outcome.BUSY);
      if (head.once) {
        drive(now, false);
        return;
      }
    }
    if (successive) {
      if (!waitsHere && attempt.mayAsk()) {
        ask(head, keeper.replace(), now);
      }
      return;
    }
    for (LocalGrant grant : List.copyOf(keeper.all())) {
      boolean kept = waitsHere && keeper.canServe(grant, head.options, head.unitRequest, now);
      if (grant.free() > 0 && !kept) {
        keeper.releaseInBackground(grant);
      }
    }
    if (!waitsHere && attempt.mayAsk()) {
      ask(head, 0, now);
    }
  }

  /** Whether a local caller shares a grant. */
  private boolean isLent() {
    for (LocalGrant grant : keeper.all()) {
      if (grant.used() > 0) {
        return true;
      }
    }
    return false;
  }

  /** Whether this process has all units, so that the store has nothing more to grant. */
  private boolean isTakenHere(UnitRequest unitRequest) {
    if (!keeper.hasAll(unitRequest)) {
      return false;
    }
    for (LocalGrant grant : keeper.all()) {
      if (grant.free() > 0 || grant.hasRoomFor(unitRequest)) {
        return false;
      }
    }
    return true;
  }

  /** Whether this process has all units, and some in use suit the caller. */
  private boolean waitsForUnits(Waiter head, long now) {
    return !attempt.isStanding()
        && keeper.hasAll(head.unitRequest)
        && keeper.all().stream()
            .anyMatch(grant -> keeper.canServe(grant, head.options, head.unitRequest, now));
  }

  private void ask(Waiter head, long replacedNanos, long now) {
    UnitRequest unitRequest = head.unitRequest;
    boolean wantsBlock =
        unitRequest.shares() || queue.size() > 1 || replacedNanos > 0 || !keeper.isEmpty();
    boolean several = !unitRequest.shares() && !LocalGrant.isAlone(head.options);
    long units = several ? Math.max(queue.units(), unitRequest.least()) : unitRequest.least();
    attempt.ask(
        head, (int) Math.min(units, unitRequest.capacity()), wantsBlock, replacedNanos, now);
  }

  // ---- end ----

  /** Refuses further callers. Under the monitor. */
  void retire() {
    retired = true;
  }

  /** Fails queued callers, and releases the grants. */
  CompletableFuture<?> close() {
    return effects.decide(
        () -> {
          retired = true;
          queue.failAll(Failures.closed());
          List<CompletableFuture<Boolean>> freed = new ArrayList<>(keeper.endAll(CLOSED));
          CompletableFuture<Boolean> ended = attempt.close();
          if (ended != null) {
            freed.add(ended);
          }
          return CompletableFuture.allOf(freed.toArray(CompletableFuture<?>[]::new));
        });
  }
}
