package dev.sluice.internal.lock;

import dev.sluice.internal.call.Failures;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.AcquireReply;
import dev.sluice.spi.LockProtocol;
import dev.sluice.spi.PermitRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One semaphore or read-write lock in one process: some grants, whose units are lent to local
 * callers. Those who read share one unit, so that a process that reads is one reader to the store.
 *
 * <p>Safe for use by many threads.
 */
final class PermitCell extends LeaseCell {
  /*
   * Units that nobody here can use go back at once: when the line is empty, and when they are no
   * use to the first in line, who then asks the store. Only when this process has everything does
   * the first in line wait for units to come free here.
   *
   * All leases get their tokens from the latest grant, whichever grant their units are of; so
   * tokens grow with each lease of this process. A token may outlive its grant's units: it is
   * reserved for ever, and what it might collide with, a grant to somebody whom our units exclude,
   * came either before that block or after our units were back.
   */

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final PermitEngine permits;

  // guarded by this
  private final List<PermitHolding> holdings = new ArrayList<>();
  private @Nullable PermitHolding latest;

  PermitCell(PermitEngine engine, String name) {
    super(engine, name);
    this.permits = engine;
  }

  @Override
  synchronized @Nullable LocalLease takeNow(
      LockOptions options, @Nullable Thread boundTo, Demand demand) {
    if (holdings.isEmpty() || !(line.isEmpty() || mayOvertake(demand))) {
      return null;
    }
    long now = engine.ticker.nanos();
    PermitHolding held = serving(options, demand, now);
    if (held == null) {
      return null;
    }
    if (!line.isEmpty()) {
      overtook();
    }
    return lend(held, demand, now, boundTo);
  }

  /** One who needs the same: a reader must not slip in before a writer who was called. */
  private boolean mayOvertake(Demand demand) {
    Waiter head = first();
    return head != null && head.demand.equals(demand) && mayOvertake();
  }

  @Override
  CompletableFuture<Boolean> release(LocalLease lease) {
    CompletableFuture<Boolean> freed;
    boolean act;
    synchronized (this) {
      PermitHolding held = (PermitHolding) lease.holding;
      if (!isCurrent(lease)) {
        return LockEngine.NO;
      }
      long now = engine.ticker.nanos();
      if (!engine.rules.isGood(now, held.deadline)) {
        lose(held, ranOut(held));
        freed = LockEngine.NO;
      } else {
        held.takeBack(lease);
        tell(lease, LeaseState.RELEASED, null);
        knows(now);
        freed = LockEngine.YES;
        if (line.isEmpty() && held.free() > 0 && !keepsIdle(held, held.used() == 0, now)) {
          freed = giveBack(held);
        }
      }
      drive(now, true);
      act = effects.claim();
    }
    effects.run(act);
    return freed;
  }

  /**
   * Makes a reader of a writer: other readers may come, and no writer came between.
   *
   * @return the lease to read under, with the writer's token; null if the writer's is over
   */
  @Nullable LocalLease downgrade(LocalLease writer) {
    LocalLease reader = null;
    boolean act;
    synchronized (this) {
      PermitHolding held = (PermitHolding) writer.holding;
      long now = engine.ticker.nanos();
      if (isCurrent(writer) && !engine.rules.isGood(now, held.deadline)) {
        lose(held, ranOut(held));
      } else if (held.takeBack(writer)) {
        reader =
            new LocalLease(
                this, held, Demand.READ, writer.token(), writer.grantedAt, writer.boundTo);
        held.lend(reader);
        tell(writer, LeaseState.RELEASED, null);
        giveBackUnasked(held);
      }
      drive(now, false);
      act = effects.claim();
    }
    effects.run(act);
    return reader;
  }

  // ---- all below run under the monitor ----

  private @Nullable PermitHolding serving(LockOptions options, Demand demand, long now) {
    for (PermitHolding held : holdings) {
      if (held.hasRoomFor(demand) && canServe(held, options, demand, now)) {
        return held;
      }
    }
    return null;
  }

  /** Whether a grant is good for such a caller once it has room for him. */
  private boolean canServe(PermitHolding held, LockOptions options, Demand demand, long now) {
    if (latest == null
        || latest.nextToken > latest.lastToken
        || held.capacity != demand.capacity()
        || held.units < demand.least()
        || held.inDoubt
        || held.hasHadItsTurns(now)) {
      return false;
    }
    if (held.options != options && !held.options.equals(options)) {
      return false;
    }
    if (held.used() > 0 && isAlone(options)) {
      return false;
    }
    return held.turns == 0
        ? engine.rules.isGood(now, held.deadline)
        : engine.rules.mayHandOff(now, held.deadline, held.confirmedNanos);
  }

  /** Whether renewal depends on the lease itself, which then needs a grant of its own. */
  private static boolean isAlone(LockOptions options) {
    return options.maxHold() != null || options.whileThreadLives();
  }

  private LocalLease lend(PermitHolding held, Demand demand, long now, @Nullable Thread boundTo) {
    lent();
    held.turns++;
    held.idle = false;
    PermitHolding source = latest == null ? held : latest;
    LocalLease lease = new LocalLease(this, held, demand, source.nextToken++, now, boundTo);
    held.lend(lease);
    planRenewal(held, now);
    return lease;
  }

  @Override
  void drive(long now, boolean afterRelease) {
    for (Waiter head = first(); head != null; head = first()) {
      PermitHolding held = serving(head.options, head.demand, now);
      if (held == null) {
        whenNotServed(head, now);
        return;
      }
      if (afterRelease && calls(head)) {
        return;
      }
      unline(head);
      Waiter served = head;
      LocalLease lease = lend(held, head.demand, now, head.boundTo);
      effects.add(() -> served.finish(lease));
    }
    for (PermitHolding held : List.copyOf(holdings)) {
      if (held.free() > 0 && !keepsIdle(held, held.used() == 0, now)) {
        giveBackUnasked(held);
      }
    }
    takeTicketBack();
    retireIfUnused();
  }

  private void whenNotServed(Waiter head, long now) {
    boolean waitsHere =
        !hasTicket()
            && hasAll(head.demand)
            && holdings.stream().anyMatch(h -> canServe(h, head.options, head.demand, now));
    if (waitsHere) {
      dismissOnce(false, Waiter.BUSY);
      if (head.once) {
        drive(now, false);
        return;
      }
    }
    for (PermitHolding held : List.copyOf(holdings)) {
      if (held.free() > 0 && !(waitsHere && canServe(held, head.options, head.demand, now))) {
        giveBackUnasked(held);
      }
    }
    if (!waitsHere && mayAsk()) {
      ask(head, head.demand.shares() || line.size() > 1 || !holdings.isEmpty(), 0, now);
    }
  }

  private boolean hasAll(Demand demand) {
    long units = 0;
    for (PermitHolding held : holdings) {
      units += held.units;
    }
    return units >= demand.capacity();
  }

  @Override
  void send(Request request, boolean wantsBlock, boolean queue) {
    Demand demand = request.demand;
    long most = 0;
    if (!demand.shares() && !isAlone(request.options)) {
      for (Waiter waiter : line) {
        most += waiter.demand.least();
      }
    }
    PermitRequest message =
        new PermitRequest(
            name,
            engine.clientId,
            request.attempt,
            request.ttlNanos / 1000,
            demand.capacity(),
            demand.least(),
            (int) Math.min(Math.max(most, demand.least()), demand.capacity()),
            demand.first(),
            wantsBlock ? LockProtocol.MAX_BLOCK : 1,
            queue);
    effects.add(
        () ->
            permits
                .acquire(message)
                .whenComplete(
                    (reply, failure) -> {
                      request.units = reply == null ? 0 : reply.units();
                      onAnswer(request, reply == null ? null : reply.decision(), failure);
                    }));
  }

  @Override
  Holding hold(Request request, AcquireReply.Granted granted) {
    PermitHolding held = new PermitHolding(request, granted.token(), granted.block());
    holdings.add(held);
    latest = held;
    return held;
  }

  @Override
  void forget(Holding held) {
    holdings.remove(held);
    ((PermitHolding) held).leases.clear();
  }

  /** Gives back what is not lent. */
  @Override
  CompletableFuture<Boolean> giveBack(Holding grant) {
    PermitHolding held = (PermitHolding) grant;
    if (held.used() == 0) {
      drop(held);
      return engine.release(name, held.attempt, held.longestNanos, effects);
    }
    held.units = held.used();
    CompletableFuture<Boolean> told = new CompletableFuture<>();
    shrink(held, told);
    return told;
  }

  /** The store must hear of it while the grant goes on: what it does not know stays out for all. */
  private void shrink(PermitHolding held, CompletableFuture<Boolean> told) {
    int keep = held.units;
    effects.add(
        () ->
            permits
                .shrink(name, held.attempt, keep)
                .whenComplete(
                    (live, failure) -> {
                      if (failure == null) {
                        told.complete(live);
                      } else {
                        told.completeExceptionally(Failures.unwrap(failure));
                      }
                      onShrunk(held, keep, live, failure);
                    }));
  }

  private void onShrunk(
      PermitHolding held, int keep, @Nullable Boolean live, @Nullable Throwable failure) {
    boolean act;
    synchronized (this) {
      if (held.gone || held.units != keep) {
        return; // it ended, or a later message says more
      }
      if (failure != null) {
        engine.agenda.in(RETRY_NANOS + engine.jitter(RETRY_NANOS), () -> shrinkAgain(held, keep));
      } else if (live != null && !live) {
        long now = engine.ticker.nanos();
        lose(held, "the store no longer has its grant");
        drive(now, false);
      }
      act = effects.claimLater();
    }
    effects.run(act);
  }

  private void shrinkAgain(PermitHolding held, int keep) {
    boolean act;
    synchronized (this) {
      if (held.gone || held.units != keep) {
        return;
      }
      shrink(held, new CompletableFuture<>());
      act = effects.claimLater();
    }
    effects.run(act);
  }

  @Override
  boolean isTakenHere(Demand demand) {
    if (!hasAll(demand)) {
      return false;
    }
    for (PermitHolding held : holdings) {
      if (held.free() > 0 || held.hasRoomFor(demand)) {
        return false;
      }
    }
    return true;
  }

  @Override
  boolean holdsAny() {
    return !holdings.isEmpty();
  }

  @Override
  boolean isCurrent(LocalLease lease) {
    return ((PermitHolding) lease.holding).leases.contains(lease);
  }

  @Override
  boolean onWanted(long now) {
    if (holdings.isEmpty()) {
      return false;
    }
    holdings.forEach(held -> held.markWanted(now));
    drive(now, false);
    return false; // a grant on its way is wanted too
  }

  @Override
  List<PermitHolding> holdings() {
    return holdings;
  }

  @Override
  boolean mayRenew(Holding held, long now) {
    if (!held.options.renewing()) {
      return false;
    }
    for (LocalLease lease : ((PermitHolding) held).leases) {
      if (!mayRenewFor(lease, held.options, now)) {
        return false;
      }
    }
    return true;
  }

  @Override
  void tellAll(Holding held, LeaseState state, @Nullable String reason) {
    ((PermitHolding) held).leases.forEach(lease -> tell(lease, state, reason));
  }

  @Override
  void endAll(List<CompletableFuture<Boolean>> freed) {
    for (PermitHolding held : List.copyOf(holdings)) {
      tellAll(held, LeaseState.RELEASED, CLOSED);
      drop(held);
      freed.add(engine.release(name, held.attempt, held.longestNanos, effects));
    }
  }

  @Override
  Collection<LocalLease> lentLeases() {
    List<LocalLease> lent = new ArrayList<>();
    holdings.forEach(held -> lent.addAll(held.leases));
    return lent;
  }

  @Override
  String refusal(Demand demand) {
    int reading = 0;
    for (PermitHolding held : holdings) {
      reading += held.sharing();
    }
    if (reading == 0 || demand.shares()) {
      return super.refusal(demand);
    }
    return demand.refusal()
        + "; this process itself reads under "
        + reading
        + (reading == 1 ? " lease" : " leases")
        + ", and a lease to read is not upgraded";
  }
}
