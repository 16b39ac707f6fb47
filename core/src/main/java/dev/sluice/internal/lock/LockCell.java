package dev.sluice.internal.lock;

import dev.sluice.internal.call.Failures;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.AcquireReply;
import dev.sluice.spi.AcquireRequest;
import dev.sluice.spi.LockProtocol;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One lock in one process: a single grant, lent to one local caller after the other.
 *
 * <p>Safe for use by many threads.
 */
final class LockCell extends LeaseCell {

  // guarded by this
  private @Nullable LocalLease current;
  private @Nullable Holding holding;

  LockCell(LockEngine engine, String name) {
    super(engine, name);
  }

  @Override
  synchronized @Nullable LocalLease takeNow(
      LockOptions options, @Nullable Thread boundTo, Demand demand) {
    Holding held = holding;
    if (held == null || current != null || !(line.isEmpty() || mayOvertake())) {
      return null;
    }
    long now = engine.ticker.nanos();
    if (!canServe(held, options, now)) {
      return null;
    }
    if (!line.isEmpty()) {
      overtook();
    }
    return lend(held, demand, now, boundTo);
  }

  @Override
  CompletableFuture<Boolean> release(LocalLease lease) {
    CompletableFuture<Boolean> freed;
    boolean act;
    synchronized (this) {
      if (!isCurrent(lease)) {
        return LockEngine.NO;
      }
      long now = engine.ticker.nanos();
      Holding held = lease.holding;
      if (!engine.rules.isGood(now, held.deadline)) {
        lose(held, ranOut(held));
        freed = LockEngine.NO;
      } else {
        current = null;
        tell(lease, LeaseState.RELEASED, null);
        knows(now);
        freed = LockEngine.YES;
        if (line.isEmpty() && !keepsIdle(held, true, now)) {
          freed = giveBack(held);
        }
      }
      drive(now, true);
      act = effects.claim();
    }
    effects.run(act);
    return freed;
  }

  /** Until the store has said so nobody here gets the lock either, as if the lease were out. */
  @Override
  CompletableFuture<Boolean> releaseAfter(LocalLease lease, long delayNanos) {
    Holding held = lease.holding;
    boolean act;
    synchronized (this) {
      if (!isCurrent(lease)) {
        return LockEngine.NO;
      }
      long now = engine.ticker.nanos();
      if (!engine.rules.isGood(now, held.deadline)) {
        lose(held, ranOut(held));
        drive(now, true);
      } else {
        held.leaving = true;
        tell(lease, LeaseState.RELEASED, null);
      }
      act = effects.claim();
    }
    effects.run(act);
    if (!held.leaving) {
      return LockEngine.NO;
    }
    return engine
        .releaseAfter(name, held.attempt, delayNanos)
        .toCompletableFuture()
        .handle(
            (left, failure) -> {
              if (failure == null) {
                onLeft(held);
              } else {
                engine.warn(
                    name, "not released, taken until its lease ends", Failures.unwrap(failure));
              }
              return failure != null || left;
            });
  }

  private void onLeft(Holding held) {
    boolean act;
    synchronized (this) {
      if (held.gone) {
        return;
      }
      drop(held);
      drive(engine.ticker.nanos(), true);
      act = effects.claimLater();
    }
    effects.run(act);
  }

  // ---- all below run under the monitor ----

  private boolean canServe(Holding held, LockOptions options, long now) {
    if (held.nextToken > held.lastToken || held.inDoubt || held.hasHadItsTurns(now)) {
      return false;
    }
    if (held.options != options && !held.options.equals(options)) {
      return false;
    }
    return held.turns == 0
        ? engine.rules.isGood(now, held.deadline)
        : engine.rules.mayHandOff(now, held.deadline, held.confirmedNanos);
  }

  private LocalLease lend(Holding held, Demand demand, long now, @Nullable Thread boundTo) {
    lent();
    held.turns++;
    held.idle = false;
    LocalLease lease = new LocalLease(this, held, demand, held.nextToken++, now, boundTo);
    current = lease;
    dismissOnce(false, Waiter.BUSY);
    planRenewal(held, now);
    return lease;
  }

  @Override
  void drive(long now, boolean afterRelease) {
    if (current != null) {
      return;
    }
    Holding held = holding;
    Waiter head = first();
    if (head == null) {
      if (held == null) {
        takeTicketBack();
      } else if (!keepsIdle(held, true, now)) {
        giveBackUnasked(held);
      }
      retireIfUnused();
      return;
    }
    if (held != null && canServe(held, head.options, now)) {
      if (!afterRelease || !calls(head)) {
        unline(head);
        LocalLease lease = lend(held, head.demand, now, head.boundTo);
        effects.add(() -> head.finish(lease));
      }
      return;
    }
    if (mayAsk()) {
      boolean contended = line.size() > 1 || held != null;
      if (held != null) {
        drop(held); // the next attempt ends it at the store, and hands over if others wait
      }
      ask(head, contended, held == null ? 0 : held.longestNanos, now);
    }
  }

  @Override
  void send(Request request, boolean wantsBlock, boolean queue) {
    AcquireRequest message =
        new AcquireRequest(
            name,
            engine.clientId,
            request.attempt,
            request.ttlNanos / 1000,
            wantsBlock ? LockProtocol.MAX_BLOCK : 1,
            queue);
    effects.add(
        () ->
            engine
                .acquire(message)
                .whenComplete((reply, failure) -> onAnswer(request, reply, failure)));
  }

  @Override
  Holding hold(Request request, AcquireReply.Granted granted) {
    Holding held =
        new Holding(
            request.attempt, request.options, request.ttlNanos, granted.token(), granted.block());
    holding = held;
    return held;
  }

  @Override
  void forget(Holding held) {
    holding = null;
    current = null;
  }

  @Override
  CompletableFuture<Boolean> giveBack(Holding held) {
    drop(held);
    return engine.release(name, held.attempt, held.longestNanos, effects);
  }

  @Override
  boolean isTakenHere(Demand demand) {
    return current != null;
  }

  @Override
  boolean holdsAny() {
    return current != null || holding != null;
  }

  @Override
  Collection<LocalLease> lentLeases() {
    return current == null ? List.of() : List.of(current);
  }

  @Override
  boolean isCurrent(LocalLease lease) {
    return current == lease && !lease.isOver();
  }

  @Override
  boolean onWanted(long now) {
    Holding held = holding;
    if (held == null) {
      return false;
    }
    held.markWanted(now);
    if (held.idle) {
      drive(now, false);
    }
    return true;
  }

  @Override
  List<Holding> holdings() {
    return holding == null ? List.of() : List.of(holding);
  }

  @Override
  boolean mayRenew(Holding held, long now) {
    return held.options.renewing()
        && !held.leaving
        && (current == null || mayRenewFor(current, held.options, now));
  }

  @Override
  void tellAll(Holding held, LeaseState state, @Nullable String reason) {
    if (current != null) {
      tell(current, state, reason);
    }
  }

  @Override
  void tellRenewed(Holding held) {
    Runnable news = current == null ? null : current.renewed();
    if (news != null) {
      effects.add(news);
    }
  }

  @Override
  void endAll(List<CompletableFuture<Boolean>> freed) {
    if (current != null) {
      tell(current, LeaseState.RELEASED, CLOSED);
      current = null;
    }
    if (holding != null && holding.leaving) {
      drop(holding);
    } else if (holding != null) {
      freed.add(giveBack(holding));
    }
  }
}
