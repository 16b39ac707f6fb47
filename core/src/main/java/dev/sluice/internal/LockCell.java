package dev.sluice.internal;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.lock.TokenOrderException;
import dev.sluice.spi.AcquireReply;
import dev.sluice.spi.AcquireRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockProtocol;
import dev.sluice.spi.RenewReply;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Everything that this process does about one lock name: the line of local callers, the one request
 * that speaks to the store for all of them, and the grant that is lent from one to the next.
 *
 * <p>Safe for use by many threads.
 */
final class LockCell {
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
   * Invariants: at most one request is under way; at most one local caller has the lock; a free
   * grant with callers in line has called the first of them.
   *
   * A released lock is not given to the next thread but left free while that thread wakes up, and a
   * running thread may take it in between (as Go's sync.Mutex and WebKit's WTF::Lock do); once the
   * called thread has arrived, the next release is its own. Strict hand-over would cost a thread
   * switch for each turn, fifty times the price of a short section.
   */

  /** Most turns that running threads take while the first in line wakes up. */
  private static final int MAX_OVERTAKING = 1000;

  private static final long FIRST_RETRY_NANOS = 20_000_000;
  private static final long LAST_RETRY_NANOS = 500_000_000;

  /** One acquire under way. */
  private static final class Request {
    final long attempt;
    final LockOptions options;
    final long ttlNanos;
    final long sentAt;

    Request(long attempt, LockOptions options, long ttlNanos, long sentAt) {
      this.attempt = attempt;
      this.options = options;
      this.ttlNanos = ttlNanos;
      this.sentAt = sentAt;
    }
  }

  final LockEngine engine;
  final String name;

  // all below guarded by this
  private final LinkedHashSet<Waiter> line = new LinkedHashSet<>();
  private final Effects effects = new Effects(this);

  /** How many in line want one answer only. */
  private int hasty;

  private @Nullable LocalLease current;
  private @Nullable Holding holding;
  private @Nullable Request underWay;

  /**
   * An attempt that may stand in the store's queue, or hold the lock there unknown to us; 0: none.
   */
  private long ticket;

  /** The longest lease that was asked for under it, or under a grant that it replaces. */
  private long ticketLongestNanos;

  private Agenda.@Nullable Entry nextPoll;
  private boolean pollAgain;
  private boolean wantedEarly;
  private int failures;
  private @Nullable Throwable lastFailure;

  /** A request since the last answer may have been carried out. */
  private boolean unknownSince;

  private boolean answered;
  private long answeredAt;
  private long lastToken;
  private int overtaking;
  private boolean retired;

  LockCell(LockEngine engine, String name) {
    this.engine = engine;
    this.name = name;
  }

  /**
   * Takes the lock if this process has it to lend right now.
   *
   * @return the lease, or null
   */
  synchronized @Nullable LocalLease takeNow(LockOptions options, @Nullable Thread boundTo) {
    Holding held = holding;
    if (held == null || current != null || !(line.isEmpty() || mayOvertake())) {
      return null;
    }
    long now = engine.ticker.nanos();
    if (!canServe(held, options, now)) {
      return null;
    }
    if (!line.isEmpty()) {
      overtaking++;
    }
    return lend(held, now, boundTo);
  }

  private boolean mayOvertake() {
    return first() instanceof Waiter.OfThread thread
        && thread.called
        && !thread.arrived
        && overtaking < MAX_OVERTAKING;
  }

  /**
   * Puts a caller in line.
   *
   * @return false if the cell is no longer in use; ask the engine for the name's present one
   */
  boolean join(Waiter waiter) {
    Object atOnce = null;
    boolean act;
    synchronized (this) {
      if (retired) {
        return false;
      }
      if (waiter.once && (current != null || somebodyStays())) {
        atOnce = Waiter.BUSY;
      } else {
        line.add(waiter);
        hasty += waiter.once ? 1 : 0;
        drive(waiter.since, false);
      }
      act = effects.claim();
    }
    effects.run(act);
    if (atOnce != null) {
      waiter.finish(atOnce);
    }
    return true;
  }

  /** A called thread comes for the lock. */
  void arrive(Waiter.OfThread waiter) {
    boolean act;
    synchronized (this) {
      if (waiter.outcome() != null || !line.contains(waiter)) {
        return;
      }
      waiter.arrived = true;
      drive(engine.ticker.nanos(), false);
      act = effects.claim();
    }
    effects.run(act);
  }

  /**
   * Takes a caller out of line who no longer waits.
   *
   * @return why the wait ended without a lease, or null if the caller was served in the meantime
   */
  @Nullable RuntimeException leave(Waiter waiter) {
    RuntimeException reason;
    boolean act;
    synchronized (this) {
      if (!line.contains(waiter)) {
        return null;
      }
      reason = whyNotServed(waiter);
      unline(waiter);
      drive(engine.ticker.nanos(), true);
      act = effects.claim();
    }
    effects.run(act);
    return reason;
  }

  private RuntimeException whyNotServed(Waiter waiter) {
    Duration waited = Duration.ofNanos(engine.ticker.nanos() - waiter.since);
    String what = "lock '" + name + "': not acquired within " + Texts.shortly(waited);
    boolean silent = !answered || answeredAt - waiter.since < 0;
    if (current == null && holding == null && (failures > 0 || silent)) {
      Throwable failure = lastFailure;
      String store = engine.describe();
      if (failure != null && failures > 0 && !unknownSince) {
        return new BackendException(
            what + "; " + store + " failed " + failures + " times: " + failure.getMessage(),
            failure);
      }
      return new OutcomeUnknownException(
          what + "; " + store + " did not answer; a grant that comes late is given back", failure);
    }
    return new LockTimeoutException(what + "; somebody else holds it");
  }

  /** Gives a local turn back. Completes with whether the lease was still ours. */
  CompletableFuture<Boolean> release(LocalLease lease) {
    CompletableFuture<Boolean> freed;
    boolean act;
    synchronized (this) {
      if (lease != current || lease.isOver()) {
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
        freed = LockEngine.YES;
        if (line.isEmpty() && !keepsIdle(held, now)) {
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
   * Ends a local turn and leaves the lock taken. Until the store has said so the cell goes on as if
   * the lease were out: nobody here gets the lock either.
   */
  CompletableFuture<Boolean> releaseAfter(LocalLease lease, long delayNanos) {
    Holding held = lease.holding;
    boolean act;
    synchronized (this) {
      if (lease != current || lease.isOver()) {
        return LockEngine.NO;
      }
      long now = engine.ticker.nanos();
      if (!engine.rules.isGood(now, held.deadline)) {
        lose(held, ranOut(held));
        drive(now, true);
      } else {
        held.leaving = true;
        tell(lease, LeaseState.RELEASED, null);
        planNext(held, now);
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
      if (holding != held) {
        return;
      }
      current = null;
      drop(held);
      drive(engine.ticker.nanos(), true);
      act = effects.claim();
    }
    effects.run(act);
  }

  /** Lengthens a lease on behalf of its holder. */
  CompletableFuture<Boolean> renew(LocalLease lease, long ttlNanos) {
    long sentAt;
    synchronized (this) {
      if (lease != current || lease.isOver()) {
        return LockEngine.NO;
      }
      sentAt = engine.ticker.nanos();
      lease.holding.longestNanos = Math.max(lease.holding.longestNanos, ttlNanos);
    }
    Holding held = lease.holding;
    return engine
        .renew(name, held.attempt, ttlNanos)
        .toCompletableFuture()
        .handle(
            (reply, failure) -> {
              onRenewed(held, sentAt, ttlNanos, false, reply, failure);
              if (failure != null) {
                throw new CompletionException(Failures.unwrap(failure));
              }
              return reply instanceof RenewReply.Renewed && isCurrent(lease);
            });
  }

  /** The grant may go on under another lease: a renewal of one that is over says no. */
  private synchronized boolean isCurrent(LocalLease lease) {
    return current == lease;
  }

  /** A message from the store. */
  void onMessage(LockMessage.Kind kind) {
    boolean act;
    synchronized (this) {
      long now = engine.ticker.nanos();
      if (kind == LockMessage.Kind.GRANTED) {
        if (underWay != null) {
          pollAgain = true;
        } else if (ticket != 0) {
          cancelPoll();
          drive(now, false);
        }
      } else if (holding != null) {
        holding.markWanted(now);
        if (holding.idle) {
          drive(now, false);
        }
      } else if (underWay != null) {
        wantedEarly = true;
      }
      act = effects.claim();
    }
    effects.run(act);
  }

  // ---- decisions; all below run under the monitor ----

  /** Whether somebody is in line who waits for his turn; who wants one answer comes after him. */
  private boolean somebodyStays() {
    return line.size() > hasty;
  }

  private void unline(Waiter waiter) {
    if (line.remove(waiter) && waiter.once) {
      hasty--;
    }
  }

  private @Nullable Waiter first() {
    return line.isEmpty() ? null : line.iterator().next();
  }

  private boolean canServe(Holding held, LockOptions options, long now) {
    if (held.nextToken > held.lastToken || held.inDoubt || held.hasHadItsTurns(now)) {
      return false;
    }
    if (held.options != options && !held.options.equals(options)) {
      return false;
    }
    return held.turns == 0
        ? engine.rules.isGood(now, held.deadline)
        : engine.rules.mayHandOff(now, held.deadline, held.ttlNanos);
  }

  private LocalLease lend(Holding held, long now, @Nullable Thread boundTo) {
    held.turns++;
    held.idle = false;
    LocalLease lease = new LocalLease(this, held, held.nextToken++, now, boundTo);
    current = lease;
    dismissOnce(false, Waiter.BUSY);
    if (held.options.renewing() && !held.renewalUnderWay && held.nextAt - held.renewAt > 0) {
      planNext(held, now); // renewal was held back for the last lease
    }
    return lease;
  }

  /** Does whatever the state calls for next. */
  private void drive(long now, boolean afterRelease) {
    if (current != null) {
      return;
    }
    Holding held = holding;
    Waiter head = first();
    if (head == null) {
      if (held != null && !keepsIdle(held, now)) {
        giveBack(held);
      } else if (held == null && ticket != 0 && underWay == null) {
        cancelPoll();
        engine.undo(name, ticket, ticketLongestNanos, effects);
        ticket = 0;
      }
      retireIfUnused();
      return;
    }
    if (held != null && canServe(held, head.options, now)) {
      if (afterRelease
          && head instanceof Waiter.OfThread thread
          && !thread.once
          && !thread.arrived
          && (!thread.called || overtaking < MAX_OVERTAKING)) {
        call(thread);
      } else {
        serve(held, head, now);
      }
      return;
    }
    if (underWay == null && nextPoll == null) {
      ask(head, now);
    }
  }

  private void call(Waiter.OfThread thread) {
    if (!thread.called) {
      thread.called = true;
      overtaking = 0;
      effects.add(thread::wake);
    }
  }

  private void serve(Holding held, Waiter waiter, long now) {
    unline(waiter);
    LocalLease lease = lend(held, now, waiter.boundTo);
    effects.add(() -> waiter.finish(lease));
  }

  /** Keeps a sticky grant that nobody wants, or says no. */
  private boolean keepsIdle(Holding held, long now) {
    Duration sticky = held.options.sticky();
    if (sticky == null || held.wanted || held.inDoubt || held.turns == 0) {
      return false;
    }
    if (!held.idle) {
      held.idle = true;
      held.idleSince = now;
      if (now + sticky.toNanos() - held.nextAt < 0) {
        planNext(held, now);
      }
    }
    return true;
  }

  private CompletableFuture<Boolean> giveBack(Holding held) {
    drop(held);
    return engine.release(name, held.attempt, held.longestNanos, effects);
  }

  private void drop(Holding held) {
    holding = null;
    if (held.next != null) {
      held.next.cancel();
      held.next = null;
    }
  }

  private void ask(Waiter head, long now) {
    boolean contended = line.size() > 1 || holding != null;
    long longestNanos = ticket != 0 ? ticketLongestNanos : 0;
    if (holding != null) {
      longestNanos = holding.longestNanos;
      drop(holding); // the next attempt ends it at the store, and hands over if others wait
    }
    long attempt = ticket != 0 ? ticket : engine.nextAttempt();
    boolean queue = ticket != 0 || somebodyStays();
    boolean wantsBlock = contended || head.options.sticky() != null;
    LockOptions options = head.options;
    long ttlNanos = options.ttl().toNanos();
    Request request = new Request(attempt, options, ttlNanos, now);
    AcquireRequest message =
        new AcquireRequest(
            name,
            engine.clientId,
            attempt,
            ttlNanos / 1000,
            wantsBlock ? LockProtocol.MAX_BLOCK : 1,
            queue);
    underWay = request;
    if (hasty > 0) {
      line.forEach(waiter -> waiter.asked = true);
    }
    ticketLongestNanos = Math.max(longestNanos, ttlNanos);
    pollAgain = false;
    effects.add(
        () ->
            engine
                .acquire(message)
                .whenComplete((reply, failure) -> onAnswer(request, reply, failure)));
  }

  private void onAnswer(
      Request request, @Nullable AcquireReply reply, @Nullable Throwable failure) {
    boolean act;
    synchronized (this) {
      if (underWay != request) {
        return;
      }
      underWay = null;
      long now = engine.ticker.nanos();
      if (reply != null) {
        failures = 0;
        unknownSince = false;
        answered = true;
        answeredAt = now;
        onReply(request, reply, now);
      } else {
        onFailure(
            request,
            Failures.unwrap(failure == null ? new NullPointerException("reply") : failure),
            now);
      }
      wantedEarly = false;
      drive(now, false);
      act = effects.claim();
    }
    effects.run(act);
  }

  private void onReply(Request request, AcquireReply reply, long now) {
    if (reply instanceof AcquireReply.Granted granted) {
      ticket = 0;
      onGranted(request, granted, now);
    } else if (reply instanceof AcquireReply.Queued queued) {
      ticket = request.attempt;
      dismissOnce(false, Waiter.BUSY);
      planPoll(queued);
    } else if (reply instanceof AcquireReply.Busy) {
      ticket = 0;
      dismissOnce(true, Waiter.BUSY);
    } else {
      ticket = 0; // over: the next request is a new attempt
    }
  }

  private void onGranted(Request request, AcquireReply.Granted granted, long now) {
    long deadline =
        engine.rules.deadline(
            request.sentAt, now, granted.remainingMicros() * 1000, request.ttlNanos);
    if (granted.token() <= lastToken) {
      engine.undo(name, request.attempt, ticketLongestNanos, effects);
      failAll(
          new TokenOrderException(
              "lock '"
                  + name
                  + "': the store granted token "
                  + granted.token()
                  + " after "
                  + lastToken
                  + " was seen; refused, since tokens must grow"));
      return;
    }
    lastToken = granted.token() + granted.block() - 1;
    if (!engine.rules.isGood(now, deadline)) {
      engine.undo(
          name,
          request.attempt,
          ticketLongestNanos,
          effects); // the answer took longer than the lease
      return;
    }
    Holding held =
        new Holding(
            request.attempt, request.options, request.ttlNanos, granted.token(), granted.block());
    held.longestNanos = ticketLongestNanos;
    held.confirmedUntil(deadline, engine.rules.margin(held.ttlNanos));
    if (granted.waiting() > 0 || wantedEarly) {
      held.markWanted(now);
    }
    holding = held;
    planNext(held, now);
  }

  private void onFailure(Request request, Throwable failure, long now) {
    ticket = request.attempt; // it may have been granted: repeat it, or undo it
    failures++;
    lastFailure = failure;
    unknownSince |= failure instanceof OutcomeUnknownException;
    if (!Failures.isPassing(failure)) {
      ticket = 0;
      engine.undo(name, request.attempt, ticketLongestNanos, effects);
      failAll(failure);
      return;
    }
    dismissOnce(true, failure);
    if (!line.isEmpty()) {
      long ceiling = Math.min(LAST_RETRY_NANOS, FIRST_RETRY_NANOS << Math.min(failures - 1, 10));
      pollIn(ceiling / 2 + engine.jitter(ceiling / 2));
    }
  }

  /** Answers those who want one answer: all, or those who came before the request left. */
  private void dismissOnce(boolean askedOnly, Object answer) {
    if (hasty == 0) {
      return;
    }
    for (Waiter waiter : List.copyOf(line)) {
      if (waiter.once && (waiter.asked || !askedOnly)) {
        unline(waiter);
        effects.add(() -> waiter.finish(answer));
      }
    }
  }

  private void failAll(Throwable failure) {
    for (Waiter waiter : line) {
      effects.add(() -> waiter.finish(failure));
    }
    line.clear();
    hasty = 0;
  }

  private void planPoll(AcquireReply.Queued queued) {
    if (line.isEmpty() || pollAgain) {
      return; // drive() takes the ticket back, or polls at once
    }
    long delay = LockProtocol.POLL_MICROS * 750 + engine.jitter(LockProtocol.POLL_MICROS * 250);
    if (queued.position() == 0) {
      delay = Math.min(delay, queued.remainingMicros() * 1000 + 1_000_000);
    }
    pollIn(delay);
  }

  private void pollIn(long delayNanos) {
    nextPoll = engine.agenda.in(delayNanos, this::onPollDue);
  }

  private void onPollDue() {
    boolean act;
    synchronized (this) {
      if (nextPoll == null) {
        return;
      }
      nextPoll = null;
      drive(engine.ticker.nanos(), false);
      act = effects.claim();
    }
    effects.run(act);
  }

  private void cancelPoll() {
    if (nextPoll != null) {
      nextPoll.cancel();
      nextPoll = null;
    }
  }

  // ---- renewal and loss ----

  private boolean mayRenew(Holding held, long now) {
    LocalLease lease = current;
    if (!held.options.renewing() || held.leaving) {
      return false;
    }
    if (lease == null) {
      return true;
    }
    Duration maxHold = held.options.maxHold();
    return (maxHold == null || now - lease.grantedAt < maxHold.toNanos())
        && (lease.boundTo == null || lease.boundTo.isAlive());
  }

  private void planNext(Holding held, long now) {
    long at = held.deadline;
    if (held.options.renewing()) {
      if (!held.renewalUnderWay && mayRenew(held, now)) {
        at = earlier(at, held.renewAt);
      }
      if (!held.inDoubt) {
        at = earlier(at, held.doubtAt());
      }
    }
    Duration sticky = held.options.sticky();
    if (held.idle && sticky != null) {
      at = earlier(at, held.idleSince + sticky.toNanos());
    }
    if (held.next != null) {
      held.next.cancel();
    }
    held.nextAt = at;
    held.next = engine.agenda.at(at, () -> onDue(held));
  }

  private static long earlier(long a, long b) {
    return a - b <= 0 ? a : b;
  }

  private void onDue(Holding held) {
    boolean act;
    synchronized (this) {
      if (holding != held) {
        return;
      }
      held.next = null;
      long now = engine.ticker.nanos();
      Duration sticky = held.options.sticky();
      if (!engine.rules.isGood(now, held.deadline)) {
        lose(held, ranOut(held));
        drive(now, false);
      } else if (held.idle && sticky != null && now - held.idleSince - sticky.toNanos() >= 0) {
        giveBack(held);
        drive(now, false);
      } else {
        tend(held, now);
      }
      act = effects.claim();
    }
    effects.run(act);
  }

  private void tend(Holding held, long now) {
    if (!held.renewalUnderWay && now - held.renewAt >= 0 && mayRenew(held, now)) {
      held.renewalUnderWay = true;
      effects.add(
          () ->
              engine
                  .renew(name, held.attempt, held.ttlNanos)
                  .whenComplete(
                      (reply, failure) ->
                          onRenewed(held, now, held.ttlNanos, true, reply, failure)));
    }
    if (held.options.renewing() && !held.inDoubt && now - held.doubtAt() >= 0) {
      doubt(held, true);
    }
    planNext(held, now);
  }

  private void tell(LocalLease lease, LeaseState state, @Nullable String reason) {
    if (lease.isOver()) {
      return;
    }
    Runnable news = lease.changed(state, reason);
    if (news != null) {
      effects.add(news);
    }
  }

  private void doubt(Holding held, boolean inDoubt) {
    held.inDoubt = inDoubt;
    if (current != null) {
      tell(current, inDoubt ? LeaseState.IN_DOUBT : LeaseState.HELD, null);
    }
  }

  private void onRenewed(
      Holding held,
      long sentAt,
      long ttlNanos,
      boolean byTimer,
      @Nullable RenewReply reply,
      @Nullable Throwable failure) {
    boolean act;
    synchronized (this) {
      if (holding != held) {
        return;
      }
      long now = engine.ticker.nanos();
      if (byTimer) {
        held.renewalUnderWay = false;
      }
      if (reply instanceof RenewReply.Renewed renewed) {
        if (engine.rules.renewalCounts(now, held.deadline)) {
          confirm(held, sentAt, ttlNanos, renewed, now);
        } else {
          lose(held, "its renewal was answered after the lease had ended");
        }
      } else if (failure == null) {
        lose(held, "the store no longer has its grant");
      } else {
        held.renewAt = now + Math.max(1_000_000, held.ttlNanos / 10);
        engine.warn(name, "renewal failed, will be repeated", Failures.unwrap(failure));
        planNext(held, now);
      }
      drive(now, false);
      act = effects.claim();
    }
    effects.run(act);
  }

  private void confirm(
      Holding held, long sentAt, long ttlNanos, RenewReply.Renewed renewed, long now) {
    long deadline = engine.rules.deadline(sentAt, now, renewed.remainingMicros() * 1000, ttlNanos);
    long later = deadline - held.deadline > 0 ? deadline : held.deadline;
    held.confirmedUntil(later, engine.rules.margin(held.ttlNanos));
    if (renewed.waiting() > 0) {
      held.markWanted(now);
    }
    if (held.inDoubt) {
      doubt(held, false);
    }
    Runnable news = current == null ? null : current.renewed();
    if (news != null) {
      effects.add(news);
    }
    planNext(held, now);
  }

  private static String ranOut(Holding held) {
    return "its lease of " + Texts.shortly(held.options.ttl()) + " ran out";
  }

  /** The store is told in any case: a late repetition of the acquire must take nothing. */
  private void lose(Holding held, String reason) {
    drop(held);
    LocalLease lease = current;
    current = null;
    if (lease != null && !lease.isOver()) {
      tell(lease, LeaseState.LOST, reason);
      LockEngine.LOG.log(
          System.Logger.Level.WARNING, () -> String.valueOf(lease.lost().getMessage()));
    }
    engine.undo(name, held.attempt, held.longestNanos, effects);
  }

  // ---- end ----

  private void retireIfUnused() {
    if (holding == null && underWay == null && ticket == 0 && engine.hasManyCells()) {
      retired = true;
      engine.forget(this);
    }
  }

  /** Ends everything: callers in line fail, the grant goes back. */
  CompletableFuture<Boolean> close() {
    CompletableFuture<Boolean> freed = LockEngine.YES;
    boolean act;
    synchronized (this) {
      retired = true;
      failAll(LockEngine.closedFailure());
      cancelPoll();
      Request request = underWay;
      underWay = null;
      if (current != null) {
        tell(current, LeaseState.RELEASED, null);
        current = null;
      }
      if (holding != null && holding.leaving) {
        drop(holding);
      } else if (holding != null) {
        freed = giveBack(holding);
      } else if (request != null || ticket != 0) {
        long attempt = request != null ? request.attempt : ticket;
        freed = engine.release(name, attempt, ticketLongestNanos, effects);
      }
      ticket = 0;
      act = effects.claim();
    }
    effects.run(act);
    return freed;
  }
}
