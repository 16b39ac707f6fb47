package dev.sluice.internal.lock;

import dev.sluice.BackendException;
import dev.sluice.NoQuorumException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.internal.call.Agenda;
import dev.sluice.internal.call.Asking;
import dev.sluice.internal.call.Durations;
import dev.sluice.internal.call.Failures;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockStats;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.lock.TokenOrderException;
import dev.sluice.spi.AcquireReply;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockProtocol;
import dev.sluice.spi.RenewReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Everything that this process does about one name: the line of local callers, the one request that
 * speaks to the store for all of them, and the grants that are lent from one to the next. What a
 * grant may serve is the subclass's to say.
 *
 * <p>Safe for use by many threads.
 */
abstract class LeaseCell {
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
   * Invariants: at most one request is under way; what is free while callers are in line waits for
   * the first of them, who was called.
   *
   * What is released is not given to the next thread but left free while that thread wakes up, and
   * a running thread may take it in between (as Go's sync.Mutex and WebKit's WTF::Lock do); once
   * the called thread has arrived, the next release is its own. Strict hand-over would cost a
   * thread switch for each turn, fifty times the price of a short section.
   */

  /** Most turns that running threads take while the first in line wakes up. */
  private static final int MAX_OVERTAKING = 1000;

  /** A grant is never shortened: a renewal by so little only asks whether it is there. */
  private static final long ASKS_ONLY_NANOS = 1000;

  /** Between two requests to a store that has no queue: random, doubling up to a second. */
  private static final long FIRST_BACK_OFF_NANOS = 4_000_000;

  private static final long LAST_BACK_OFF_NANOS = 1_000_000_000;

  /** Why a lease ended that was held when the client was closed. */
  static final String CLOSED = "this Sluice was closed before the lease was released";

  /** One acquire under way. */
  static final class Request {
    final long attempt;

    /** Whether the attempt was sent before: the store may have granted it long ago. */
    final boolean repeated;

    final boolean queue;
    final LockOptions options;
    final Demand demand;
    final long ttlNanos;
    final long sentAt;

    /** Units of the grant, once there is one. */
    int units = 1;

    Request(long attempt, boolean repeated, boolean queue, Waiter head, long sentAt) {
      this.attempt = attempt;
      this.repeated = repeated;
      this.queue = queue;
      this.options = head.options;
      this.demand = head.demand;
      this.ttlNanos = head.options.ttl().toNanos();
      this.sentAt = sentAt;
    }
  }

  final LockEngine engine;
  final String name;

  // all below guarded by this
  final LinkedHashSet<Waiter> line = new LinkedHashSet<>();
  final Effects effects = new Effects(this);

  /** How many in line want one answer only. */
  private int hasty;

  private @Nullable Request underWay;

  /** An attempt that may stand in the store's queue, or be granted there unknown to us; 0: none. */
  private long ticket;

  /** The store has no queue and refused the ticket's attempt; it only knows that we wait. */
  private boolean ticketSpent;

  private int refusals;

  /** The longest lease that was asked for under it, or under a grant that it replaces. */
  private long ticketLongestNanos;

  private Agenda.@Nullable Entry nextPoll;
  private boolean pollAgain;
  private boolean wantedEarly;

  /** A grant was ended by force while a request was under way: its answer may be that grant. */
  private boolean takenEarly;

  private int failures;
  private @Nullable Throwable lastFailure;

  /** A request since the last answer may have been carried out. */
  private boolean unknownSince;

  /** When the store answered, or a caller here gave his turn back: it was taken until then. */
  private long knownAt;

  private boolean known;
  private long lastToken;
  private int overtaking;
  private boolean retired;
  private long turns;
  private long grants;
  private long losses;

  LeaseCell(LockEngine engine, String name) {
    this.engine = engine;
    this.name = name;
  }

  // ---- what differs ----

  /**
   * Takes what this process has to lend right now.
   *
   * @return the lease, or null
   */
  abstract @Nullable LocalLease takeNow(
      LockOptions options, @Nullable Thread boundTo, Demand demand);

  /** Gives a local turn back. Completes with whether the lease was still ours. */
  abstract CompletableFuture<Boolean> release(LocalLease lease);

  /**
   * Ends a local turn and leaves what was held taken for a while.
   *
   * @throws UnsupportedOperationException unless it is a lock
   */
  CompletableFuture<Boolean> releaseAfter(LocalLease lease, long delayNanos) {
    throw new UnsupportedOperationException(
        lease.demand.of(name) + ": only a lock can be released with a delay");
  }

  // all below run under the monitor

  /** Does whatever the state calls for next. */
  abstract void drive(long now, boolean afterRelease);

  /** Whether this process has it, so that to ask the store would be in vain. */
  abstract boolean isTakenHere(Demand demand);

  abstract boolean holdsAny();

  abstract boolean isCurrent(LocalLease lease);

  /**
   * Another process wants what we hold.
   *
   * @return false if we hold nothing
   */
  abstract boolean onWanted(long now);

  /** All grants that this process has. */
  abstract List<? extends Holding> holdings();

  /** Sends an acquire, as an effect, and passes the answer to {@link #onAnswer}. */
  abstract void send(Request request, boolean wantsBlock, boolean queue);

  /** A grant of the store. */
  abstract Holding hold(Request request, AcquireReply.Granted granted);

  abstract void forget(Holding held);

  abstract boolean mayRenew(Holding held, long now);

  abstract CompletableFuture<Boolean> giveBack(Holding held);

  /** Gives back what no caller waits to see given back: a close does. */
  final void giveBackUnasked(Holding held) {
    engine.finishBeforeClose(giveBack(held));
  }

  /** The leases that were lent from a grant hear of a change; after an end they are no more. */
  abstract void tellAll(Holding held, LeaseState state, @Nullable String reason);

  /** The leases that were lent from a grant were lengthened. */
  void tellRenewed(Holding held) {}

  /** Ends all leases and gives all grants back. */
  abstract void endAll(List<CompletableFuture<Boolean>> freed);

  /** The leases that are lent at present. */
  abstract Collection<LocalLease> lentLeases();

  /** As {@link #whyRefused}; runs under the monitor. */
  String refusal(Demand demand) {
    Thread self = Thread.currentThread();
    boolean own =
        lentLeases().stream().anyMatch(lease -> lease.taker == self && lease.demand.takesAll());
    return own ? "this thread holds it" : demand.refusal();
  }

  // ---- callers ----

  /**
   * Puts a caller in line.
   *
   * @return false if the cell is no longer in use; ask the engine for the name's present one
   */
  final boolean join(Waiter waiter) {
    Object atOnce = null;
    boolean act;
    synchronized (this) {
      if (retired) {
        return false;
      }
      if (waiter.once && (isTakenHere(waiter.demand) || somebodyStays())) {
        atOnce = Waiter.BUSY;
      } else {
        enter(waiter);
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

  private void enter(Waiter waiter) {
    if (!waiter.demand.first()) {
      line.add(waiter);
      return;
    }
    List<Waiter> others = new ArrayList<>(line);
    others.removeIf(other -> other.demand.first());
    others.forEach(line::remove);
    line.add(waiter);
    line.addAll(others);
  }

  /** A called thread comes for what it waits for. */
  final void arrive(Waiter.OfThread waiter) {
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
  final @Nullable RuntimeException leave(Waiter waiter) {
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
    String what = waiter.demand.of(name) + ": not acquired within " + Durations.shortly(waited);
    boolean ignorant = !known || knownAt - waiter.since < 0;
    if (!holdsAny() && (failures > 0 || ignorant)) {
      Throwable failure = lastFailure;
      String store = engine.describe();
      if (failure != null && failures > 0 && !unknownSince) {
        String text =
            what + "; " + store + " failed " + failures + " times: " + failure.getMessage();
        return failure instanceof NoQuorumException
            ? new NoQuorumException(text, failure)
            : new BackendException(text, failure);
      }
      return new OutcomeUnknownException(
          what + "; " + store + " did not answer; a grant that comes late is given back", failure);
    }
    return new LockTimeoutException(what + "; " + refusal(waiter.demand));
  }

  /** Lengthens a lease on behalf of its holder. */
  final CompletableFuture<Boolean> renew(LocalLease lease, long ttlNanos) {
    long sentAt;
    synchronized (this) {
      if (!isCurrent(lease)) {
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
              if (failure == null && reply instanceof RenewReply.Renewed) {
                isToLast(held, sentAt + ttlNanos);
              }
              onRenewed(held, sentAt, ttlNanos, false, reply, failure);
              if (failure != null) {
                throw new CompletionException(Failures.unwrap(failure));
              }
              return reply instanceof RenewReply.Renewed && isStillCurrent(lease);
            });
  }

  private synchronized void isToLast(Holding held, long until) {
    held.lasts(until - engine.rules.margin(held.ttlNanos));
  }

  /** The grant may go on under another lease: a renewal of one that is over says no. */
  private synchronized boolean isStillCurrent(LocalLease lease) {
    return isCurrent(lease);
  }

  /** Why this thread does not get it, for messages. */
  final synchronized String whyRefused(Demand demand) {
    return refusal(demand);
  }

  final synchronized LockStats stats() {
    return new LockStats(turns, grants, losses);
  }

  /** A lease turned out to be gone when it was given back. */
  final synchronized void countLoss() {
    losses++;
  }

  /** A message from the store. */
  final void onMessage(LockMessage.Kind kind) {
    boolean act;
    synchronized (this) {
      long now = engine.ticker.nanos();
      if (kind == LockMessage.Kind.IN_DOUBT) {
        holdings().forEach(held -> question(held, now));
      } else if (kind == LockMessage.Kind.TAKEN && holdsAny()) {
        holdings().forEach(held -> verify(held, now));
      } else if (kind != LockMessage.Kind.WANTED) {
        if (underWay != null) {
          pollAgain = true;
          takenEarly |= kind == LockMessage.Kind.TAKEN;
        } else if (ticket != 0) {
          cancelPoll();
          drive(now, false);
        }
      } else if (!onWanted(now) && underWay != null) {
        wantedEarly = true;
      }
      act = effects.claimLater();
    }
    effects.run(act);
  }

  // ---- the line; all below run under the monitor ----

  /** Whether somebody is in line who waits for his turn; who wants one answer comes after him. */
  private boolean somebodyStays() {
    return line.size() > hasty;
  }

  final void unline(Waiter waiter) {
    if (line.remove(waiter) && waiter.once) {
      hasty--;
    }
  }

  final @Nullable Waiter first() {
    return line.isEmpty() ? null : line.iterator().next();
  }

  /** Whether a running thread may take what is free while the first in line wakes up. */
  final boolean mayOvertake() {
    return first() instanceof Waiter.OfThread thread
        && thread.called
        && !thread.arrived
        && !thread.options.strictOrder()
        && overtaking < MAX_OVERTAKING;
  }

  final void lent() {
    turns++;
  }

  /** How things stand at the store is known. */
  final void knows(long now) {
    known = true;
    knownAt = now;
  }

  final void overtook() {
    overtaking++;
  }

  /** Whether the first in line is to come for what is free, and others may be faster. */
  final boolean calls(Waiter head) {
    if (!(head instanceof Waiter.OfThread thread)
        || thread.once
        || thread.arrived
        || thread.options.strictOrder()
        || (thread.called && overtaking >= MAX_OVERTAKING)) {
      return false;
    }
    if (!thread.called) {
      thread.called = true;
      overtaking = 0;
      effects.add(thread::wake);
    }
    return true;
  }

  /** Answers those who want one answer: all, or those who came before the request left. */
  final void dismissOnce(boolean askedOnly, Object answer) {
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

  /** Fails the callers whose demand and options are those of the request, and nobody else. */
  private void failAlike(Request request, Throwable failure) {
    for (Waiter waiter : List.copyOf(line)) {
      if (waiter.demand.equals(request.demand) && waiter.options.equals(request.options)) {
        unline(waiter);
        effects.add(() -> waiter.finish(failure));
      }
    }
  }

  // ---- asking ----

  /** Nothing is on its way to the store, and nothing is planned. */
  final boolean mayAsk() {
    return underWay == null && nextPoll == null;
  }

  final boolean hasTicket() {
    return ticket != 0;
  }

  /**
   * Asks for the first in line.
   *
   * @param longestNanos the longest lease of a grant that this request replaces
   */
  final void ask(Waiter head, boolean wantsBlock, long longestNanos, long now) {
    boolean repeated = ticket != 0 && !ticketSpent;
    long attempt = repeated ? ticket : engine.nextAttempt();
    boolean queue = ticket != 0 || somebodyStays();
    Request request = new Request(attempt, repeated, queue, head, now);
    underWay = request;
    if (hasty > 0) {
      line.forEach(waiter -> waiter.asked = true);
    }
    long longest = ticket != 0 ? Math.max(ticketLongestNanos, longestNanos) : longestNanos;
    ticketLongestNanos = Math.max(longest, request.ttlNanos);
    pollAgain = false;
    boolean several = wantsBlock || head.options.sticky() != null;
    send(request, several && !head.options.strictOrder(), queue);
  }

  final void onAnswer(Request request, @Nullable AcquireReply reply, @Nullable Throwable failure) {
    boolean act;
    synchronized (this) {
      if (underWay != request) {
        return;
      }
      underWay = null;
      long now = engine.ticker.nanos();
      if (reply != null) {
        unknownSince = false;
        knows(now);
        onReply(request, reply, now);
      } else {
        onFailure(
            request,
            Failures.unwrap(failure == null ? new NullPointerException("reply") : failure),
            now);
      }
      wantedEarly = false;
      takenEarly = false;
      drive(now, false);
      act = effects.claimLater();
    }
    effects.run(act);
  }

  private void onReply(Request request, AcquireReply reply, long now) {
    ticketSpent = false;
    if (reply instanceof AcquireReply.Granted && takenEarly) {
      ticket = request.attempt; // asked once more: is it still there?
      return;
    }
    if (reply instanceof AcquireReply.Granted granted) {
      ticket = 0;
      refusals = 0;
      onGranted(request, granted, now);
      return;
    }
    failures = 0;
    if (reply instanceof AcquireReply.Queued queued) {
      ticket = request.attempt;
      dismissOnce(false, Waiter.BUSY);
      planPoll(queued);
    } else if (reply instanceof AcquireReply.Busy busy) {
      ticketSpent = request.queue;
      ticket = ticketSpent ? request.attempt : 0; // to be taken back when nobody waits any more
      dismissOnce(!ticketSpent, Waiter.BUSY);
      if (ticketSpent) {
        backOff(busy);
      }
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
              request.demand.of(name)
                  + ": the store granted token "
                  + granted.token()
                  + " after "
                  + lastToken
                  + " was seen; refused, since tokens must grow"));
      return;
    }
    lastToken = granted.token() + granted.block() - 1;
    if (!engine.rules.isGood(now, deadline)) {
      engine.undo(name, request.attempt, ticketLongestNanos, effects);
      long margin = engine.rules.margin(request.ttlNanos);
      if (!request.repeated || now - request.sentAt >= request.ttlNanos - margin) {
        Throwable late = tooLate(request, granted, now);
        engine.warn(name, "not acquired", late);
        retryLater(late);
      } // else an earlier request was granted, and a new attempt gets a whole TTL
      return;
    }
    failures = 0;
    Holding held = hold(request, granted);
    grants++;
    held.longestNanos = ticketLongestNanos;
    long margin = engine.rules.margin(held.ttlNanos);
    boolean whole = !engine.confirmsInParts();
    if (!whole) {
      held.lasts(request.sentAt + request.ttlNanos - margin);
    }
    long nanos = whole ? held.ttlNanos : deadline + margin - request.sentAt;
    held.confirmedUntil(deadline, nanos, margin, whole);
    if (granted.waiting() > 0 || wantedEarly) {
      held.markWanted(now);
    }
    planNext(held, now);
  }

  private BackendException tooLate(Request request, AcquireReply.Granted granted, long now) {
    long confirmedNanos = granted.remainingMicros() * 1000;
    String part =
        confirmedNanos < request.ttlNanos
            ? ", of which the store confirmed "
                + Durations.shortly(Duration.ofNanos(confirmedNanos))
            : "";
    return new BackendException(
        "the grant came too late and is given back: the round trip took "
            + Durations.shortly(Duration.ofNanos(now - request.sentAt))
            + ", longer than the TTL of "
            + Durations.shortly(Duration.ofNanos(request.ttlNanos))
            + part
            + ", less the margin of "
            + Durations.shortly(Duration.ofNanos(engine.rules.margin(request.ttlNanos))),
        null);
  }

  private void onFailure(Request request, Throwable failure, long now) {
    ticket = request.attempt; // it may have been granted: repeat it, or undo it
    // a quorum has begun to end it, and what does so may yet overtake a repetition
    ticketSpent = failure instanceof NoQuorumException;
    unknownSince |= failure instanceof OutcomeUnknownException;
    if (!Failures.isPassing(failure)) {
      ticket = 0;
      engine.undo(name, request.attempt, ticketLongestNanos, effects);
      failAlike(request, failure);
      return;
    }
    retryLater(failure);
  }

  /** Callers that wait retry after a pause; the others get the failure. */
  private void retryLater(Throwable failure) {
    failures++;
    lastFailure = failure;
    dismissOnce(true, failure);
    if (!line.isEmpty()) {
      pollIn(Asking.pause(failures + 1, engine::jitter));
    }
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

  /** The store has no queue: ask again after a random time, or when it says that it may help. */
  private void backOff(AcquireReply.Busy busy) {
    if (line.isEmpty() || pollAgain) {
      return; // drive() tells the store that nobody waits, or asks at once
    }
    long ceiling = Math.min(LAST_BACK_OFF_NANOS, FIRST_BACK_OFF_NANOS << Math.min(refusals++, 10));
    long delay = ceiling / 2 + engine.jitter(ceiling / 2);
    if (busy.remainingMicros() > 0) {
      delay = Math.min(delay, busy.remainingMicros() * 1000 + engine.jitter(FIRST_BACK_OFF_NANOS));
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
      act = effects.claimLater();
    }
    effects.run(act);
  }

  private void cancelPoll() {
    if (nextPoll != null) {
      nextPoll.cancel();
      nextPoll = null;
    }
  }

  /** Nobody waits here any more: no retry is due, and the ticket leaves the store's queue. */
  final void takeTicketBack() {
    if (underWay != null) {
      return;
    }
    cancelPoll();
    if (ticket != 0) {
      engine.undo(name, ticket, ticketLongestNanos, effects);
      ticket = 0;
    }
  }

  // ---- renewal and loss ----

  final void drop(Holding held) {
    held.gone = true;
    if (held.next != null) {
      held.next.cancel();
      held.next = null;
    }
    forget(held);
  }

  /** Keeps a sticky grant that nobody wants, or says no. */
  final boolean keepsIdle(Holding held, boolean unused, long now) {
    Duration sticky = held.options.sticky();
    if (sticky == null || held.wanted || held.inDoubt || held.turns == 0) {
      return false;
    }
    if (unused && !held.idle) {
      held.idle = true;
      held.idleSince = now;
      if (now + sticky.toNanos() - held.nextAt < 0) {
        planNext(held, now);
      }
    }
    return true;
  }

  /** Whether a grant under this lease may be lengthened. */
  static boolean mayRenewFor(LocalLease lease, LockOptions options, long now) {
    Duration maxHold = options.maxHold();
    return (maxHold == null || now - lease.grantedAt < maxHold.toNanos())
        && (lease.boundTo == null || lease.boundTo.isAlive());
  }

  /** Renewal was held back for the last lease, and this one needs it. */
  final void planRenewal(Holding held, long now) {
    if (held.isToBeConfirmed() && !held.renewalUnderWay && held.nextAt - held.renewAt > 0) {
      planNext(held, now);
    }
  }

  private void planNext(Holding held, long now) {
    long at = held.deadline;
    if (held.isToBeConfirmed()) {
      if (!held.renewalUnderWay && mayAskFor(held, now)) {
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
      if (held.gone) {
        return;
      }
      held.next = null;
      long now = engine.ticker.nanos();
      Duration sticky = held.options.sticky();
      if (!engine.rules.isGood(now, held.deadline)) {
        lose(held, ranOut(held));
        drive(now, false);
      } else if (held.idle && sticky != null && now - held.idleSince - sticky.toNanos() >= 0) {
        giveBackUnasked(held);
        drive(now, false);
      } else {
        tend(held, now);
      }
      act = effects.claimLater();
    }
    effects.run(act);
  }

  private void tend(Holding held, long now) {
    if (!held.renewalUnderWay && now - held.renewAt >= 0 && mayAskFor(held, now)) {
      held.renewalUnderWay = true;
      long ttlNanos = held.nextNanos(now, mayRenew(held, now));
      effects.add(
          () ->
              engine
                  .renew(name, held.attempt, ttlNanos)
                  .whenComplete(
                      (reply, failure) -> onRenewed(held, now, ttlNanos, true, reply, failure)));
    }
    if (held.isToBeConfirmed() && !held.inDoubt && now - held.doubtAt() >= 0) {
      doubt(held, true);
    }
    planNext(held, now);
  }

  final void tell(LocalLease lease, LeaseState state, @Nullable String reason) {
    if (lease.isOver()) {
      return;
    }
    Runnable news = lease.changed(state, reason);
    if (news != null) {
      effects.add(news);
    }
    if (state == LeaseState.LOST) {
      losses++;
      engine.warn(() -> String.valueOf(lease.lost().getMessage()));
    }
  }

  /** Asks whether the grant is still there; a hint that it is not may come from anybody. */
  private void verify(Holding held, long now) {
    long ttlNanos =
        mayAskFor(held, now) ? held.nextNanos(now, mayRenew(held, now)) : ASKS_ONLY_NANOS;
    effects.add(
        () ->
            engine
                .renew(name, held.attempt, ttlNanos)
                .whenComplete(
                    (reply, failure) -> onRenewed(held, now, ttlNanos, false, reply, failure)));
  }

  /** The store does not know whether the grant goes on; it is asked until it does. */
  private void question(Holding held, long now) {
    held.unsure = true;
    if (!held.inDoubt) {
      doubt(held, true);
    }
    verify(held, now);
  }

  /** Whether the grant may be asked for again: lengthened, or confirmed to its end. */
  private boolean mayAskFor(Holding held, long now) {
    return mayRenew(held, now) || (!held.leaving && held.isUnconfirmed());
  }

  private void doubt(Holding held, boolean inDoubt) {
    held.inDoubt = inDoubt;
    tellAll(held, inDoubt ? LeaseState.IN_DOUBT : LeaseState.HELD, null);
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
      if (held.gone) {
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
        held.renewAt = now + Math.max(1_000_000, held.confirmedNanos / 10);
        engine.warn(name, "renewal failed, will be repeated", Failures.unwrap(failure));
        planNext(held, now);
      }
      drive(now, false);
      act = effects.claimLater();
    }
    effects.run(act);
  }

  private void confirm(
      Holding held, long sentAt, long ttlNanos, RenewReply.Renewed renewed, long now) {
    long deadline = engine.rules.deadline(sentAt, now, renewed.remainingMicros() * 1000, ttlNanos);
    long later = deadline - held.deadline > 0 ? deadline : held.deadline;
    long margin = engine.rules.margin(held.ttlNanos);
    boolean inParts = engine.confirmsInParts();
    boolean whole = !inParts || renewed.remainingMicros() >= ttlNanos / 1000;
    long nanos = inParts ? later + margin - sentAt : held.ttlNanos;
    if (!held.confirmedUntil(later, nanos, margin, whole)) {
      lose(held, ranOut(held));
      return;
    }
    if (renewed.waiting() > 0) {
      held.markWanted(now);
    }
    if (held.inDoubt && now - held.doubtAt() < 0) {
      doubt(held, false);
    }
    tellRenewed(held);
    planNext(held, now);
  }

  static String ranOut(Holding held) {
    return "its lease of " + Durations.shortly(held.options.ttl()) + " ran out";
  }

  /** The store is told in any case: a late repetition of the acquire must take nothing. */
  final void lose(Holding held, String reason) {
    tellAll(held, LeaseState.LOST, reason);
    drop(held);
    engine.undo(name, held.attempt, held.longestNanos, effects);
  }

  // ---- end ----

  final void retireIfUnused() {
    if (!holdsAny() && underWay == null && ticket == 0 && engine.hasManyCells()) {
      retired = true;
      engine.forget(this);
    }
  }

  /** Ends everything: callers in line fail, the grants go back. */
  final CompletableFuture<?> close() {
    List<CompletableFuture<Boolean>> freed = new ArrayList<>();
    boolean act;
    synchronized (this) {
      retired = true;
      failAll(Failures.closed());
      cancelPoll();
      Request request = underWay;
      underWay = null;
      endAll(freed);
      if (request != null || ticket != 0) {
        long attempt = request != null ? request.attempt : ticket;
        freed.add(engine.release(name, attempt, ticketLongestNanos, effects));
      }
      ticket = 0;
      act = effects.claim();
    }
    effects.run(act);
    return CompletableFuture.allOf(freed.toArray(CompletableFuture<?>[]::new));
  }
}
