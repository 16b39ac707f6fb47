package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.MissingDataException;
import dev.sluice.NoQuorumException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.internal.call.Durations;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.RetryingCall;
import dev.sluice.internal.call.TimerQueue;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockProtocol;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The request of one client for one name at the store: at most one at a time, on behalf of all
 * callers of that name. Guarded by the monitor of its coordinator.
 */
final class StoreAttempt {
  private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(LockProtocol.POLL_MICROS);

  /** The delay of a poll after the end of the grant ahead. */
  private static final long AFTER_END_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** The pause between two requests to a store without a queue: random, doubling up to a second. */
  private static final long FIRST_BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private static final long LAST_BACK_OFF_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The possible state at the store of an attempt after its reply has come or was lost. */
  private enum State {
    /** Nothing. */
    NONE,

    /** A ticket in its queue, or a grant that is not known here: it is repeated, or undone. */
    OPEN,

    /** The store has no queue and refused; it only knows that this client waits. */
    REFUSED
  }

  /** One acquire under way. */
  static final class Request {
    final GrantRequest sent;

    /** Whether the attempt was sent before, so that the store may have granted it long ago. */
    final boolean repeated;

    final LockOptions options;
    final UnitRequest unitRequest;
    final long ttlNanos;
    final long sentAt;

    private Request(GrantRequest sent, boolean repeated, Waiter head, long sentAt) {
      this.sent = sent;
      this.repeated = repeated;
      this.options = head.options;
      this.unitRequest = head.unitRequest;
      this.ttlNanos = head.options.ttl().toNanos();
      this.sentAt = sentAt;
    }
  }

  /** Continues after a reply. Called under the monitor. */
  interface Owner {

    /**
     * The attempt was granted.
     *
     * @param request what was asked
     * @param granted what was answered
     * @param deadline when the grant ends for us
     * @param longestNanos the longest lease that the store was ever asked for under it
     * @param wanted whether another process is known to wait
     * @param now the present
     */
    void onGranted(
        Request request,
        GrantReply.Granted granted,
        long deadline,
        long longestNanos,
        boolean wanted,
        long now);

    /** Takes the next step of the state machine. */
    void drive(long now);
  }

  private final GrantStore store;
  private final String name;
  private final WaitQueue queue;
  private final Effects effects;
  private final Owner owner;

  private State state = State.NONE;

  /** The attempt of {@link #state}. */
  private @Nullable GrantRequest last;

  /** The units of the name, by the caller whose request was sent last. */
  private int capacity;

  /** The longest lease that was requested under the attempt, or under a grant that it replaces. */
  private long longestNanos;

  private @Nullable Request underWay;
  private TimerQueue.@Nullable Entry nextPoll;

  /** A message came while a request was under way, so the reply may be older. */
  private boolean pollAgain;

  private boolean wantedEarly;

  /** A grant was ended by force while a request was under way, and the reply may be that grant. */
  private boolean takenEarly;

  private int refusals;
  private int failures;
  private @Nullable Throwable lastFailure;

  /** A request since the last reply may have been executed. */
  private boolean unknownSince;

  /** The time of the store's reply, or of a local release: until then the lock was taken. */
  private long knownAt;

  private boolean known;
  private long lastToken;

  StoreAttempt(GrantStore store, String name, WaitQueue queue, Effects effects, Owner owner) {
    this.store = store;
    this.name = name;
    this.queue = queue;
    this.effects = effects;
    this.owner = owner;
  }

  /** No request is under way or planned. */
  boolean mayAsk() {
    return underWay == null && nextPoll == null;
  }

  /** Whether the store may hold data of an earlier request. */
  boolean isStanding() {
    return state != State.NONE;
  }

  boolean isUnused() {
    return underWay == null && state == State.NONE;
  }

  /** The state at the store is known. */
  void knows(long now) {
    known = true;
    knownAt = now;
  }

  /**
   * Sends a request for the first in the queue.
   *
   * @param units how many are welcome
   * @param wantsBlock whether several callers may be served under the grant
   * @param replacedNanos the longest lease of a grant that this request replaces; 0 for none
   */
  void ask(Waiter head, int units, boolean wantsBlock, long replacedNanos, long now) {
    if (state == State.OPEN && head.unitRequest.capacity() != capacity) {
      undo(); // the store would take it for the caller that queued
      state = State.NONE;
    }
    capacity = head.unitRequest.capacity();
    GrantRequest open = state == State.OPEN ? last : null;
    long number = open == null ? store.nextAttempt() : open.attempt();
    boolean queued = isStanding() || queue.hasStayers();
    boolean several = wantsBlock || head.options.sticky().isPresent();
    int block = several && !head.options.isFair() ? LockProtocol.MAX_BLOCK : 1;
    long ttlNanos = head.options.ttl().toNanos();
    GrantRequest sent =
        store.request(name, number, ttlNanos, head.unitRequest, units, block, queued);
    Request request = new Request(sent, open != null, head, now);
    underWay = request;
    queue.markAsked();
    long longest = isStanding() ? Math.max(longestNanos, replacedNanos) : replacedNanos;
    longestNanos = Math.max(longest, ttlNanos);
    pollAgain = false;
    effects.add(
        () ->
            Failures.then(
                store.acquire(sent), (reply, failure) -> onAnswer(request, reply, failure)));
  }

  private void onAnswer(Request request, @Nullable GrantReply reply, @Nullable Throwable failure) {
    effects.react(
        () -> {
          if (underWay != request) {
            return;
          }
          underWay = null;
          long now = store.ticker.nanos();
          if (reply != null) {
            unknownSince = false;
            knows(now);
            onReply(request, reply, now);
          } else {
            Throwable cause = failure == null ? new NullPointerException("reply") : failure;
            onFailure(request, Failures.unwrap(cause));
          }
          wantedEarly = false;
          takenEarly = false;
          owner.drive(now);
        });
  }

  private void onReply(Request request, GrantReply reply, long now) {
    last = request.sent;
    if (reply instanceof GrantReply.Granted && takenEarly) {
      state = State.OPEN; // asked once more: is it still there?
      return;
    }
    if (reply instanceof GrantReply.Granted granted) {
      state = State.NONE;
      refusals = 0;
      onGranted(request, granted, now);
      return;
    }
    failures = 0;
    if (reply instanceof GrantReply.Queued queued) {
      state = State.OPEN;
      queue.dismissOnce(Outcome.BUSY);
      planPoll(queued);
    } else if (!(reply instanceof GrantReply.Busy busy)) {
      state = State.NONE; // over: the next request is a new attempt
    } else if (request.sent.queue()) {
      state = State.REFUSED; // to be taken back when no caller waits any more
      queue.dismissOnce(Outcome.BUSY);
      backOff(busy);
    } else {
      state = State.NONE;
      queue.dismissAsked(Outcome.BUSY);
    }
  }

  private void onGranted(Request request, GrantReply.Granted granted, long now) {
    long deadline =
        store.rules.deadline(request.sentAt, now, granted.remainingNanos(), request.ttlNanos);
    if (granted.token() <= lastToken) {
      undo();
      queue.failAll(
          new MissingDataException(
              request.unitRequest.of(name)
                  + ": the store granted token "
                  + granted.token()
                  + " after "
                  + lastToken
                  + " was seen; refused, since tokens must grow. The store lost its data: check its"
                  + " clock",
              null));
      return;
    }
    lastToken = granted.token() + granted.block() - 1;
    if (!store.rules.isGood(now, deadline)) {
      undo();
      long margin = store.rules.margin(request.ttlNanos);
      if (!request.repeated || now - request.sentAt >= request.ttlNanos - margin) {
        Throwable late = tooLate(request, granted, now);
        store.warn(name, "not acquired", late);
        queue.putLast(request.unitRequest, request.options); // others may have a longer TTL
        retryLater(late);
      } // else an earlier request was granted, and a new attempt gets a whole TTL
      return;
    }
    failures = 0;
    owner.onGranted(request, granted, deadline, longestNanos, wantedEarly, now);
  }

  private BackendException tooLate(Request request, GrantReply.Granted granted, long now) {
    long confirmedNanos = granted.remainingNanos();
    String part =
        confirmedNanos < request.ttlNanos
            ? ", of which the store confirmed "
                + Durations.shortly(Duration.ofNanos(confirmedNanos))
            : "";
    return new BackendException(
        "the grant came too late and is released: the round trip took "
            + Durations.shortly(Duration.ofNanos(now - request.sentAt))
            + ", longer than the TTL of "
            + Durations.shortly(Duration.ofNanos(request.ttlNanos))
            + part
            + ", less the margin of "
            + Durations.shortly(
                Duration.ofNanos(store.rules.margin(confirmedNanos, request.ttlNanos))),
        null);
  }

  private void onFailure(Request request, Throwable failure) {
    last = request.sent;
    unknownSince |= failure instanceof OutcomeUnknownException;
    if (!Failures.isPassing(failure)) {
      state = State.NONE;
      undo();
      queue.failAlike(request.unitRequest, request.options, failure);
      return;
    }
    // it may have been granted: repeat it, or undo it. A quorum has begun to end it, and what does
    // so may yet overtake a repetition
    state = failure instanceof NoQuorumException ? State.REFUSED : State.OPEN;
    retryLater(failure);
  }

  /** Waiting callers retry after a pause; the others get the failure. */
  private void retryLater(Throwable failure) {
    failures++;
    lastFailure = failure;
    queue.dismissAsked(new Outcome.Failed(failure));
    if (!queue.isEmpty()) {
      pollIn(RetryingCall.pause(failures + 1, store::jitter));
    }
  }

  private void undo() {
    store.undo(requireNonNull(last), longestNanos, effects);
  }

  // ---- polls ----

  private void planPoll(GrantReply.Queued queued) {
    if (queue.isEmpty() || pollAgain) {
      return; // the owner gives the ticket up, or polls immediately
    }
    long delay = POLL_NANOS / 4 * 3 + store.jitter(POLL_NANOS / 4);
    if (queued.position() == 0) {
      delay = Math.min(delay, queued.remainingNanos() + AFTER_END_NANOS);
    }
    pollIn(delay);
  }

  /** The store has no queue: retry after a random time, or after a message that it may succeed. */
  private void backOff(GrantReply.Busy busy) {
    if (queue.isEmpty() || pollAgain) {
      return; // the owner cancels the wait at the store, or asks immediately
    }
    long ceiling = Math.min(LAST_BACK_OFF_NANOS, FIRST_BACK_OFF_NANOS << Math.min(refusals++, 10));
    long delay = ceiling / 2 + store.jitter(ceiling / 2);
    if (busy.remainingMicros() > 0) {
      delay = Math.min(delay, busy.remainingNanos() + store.jitter(FIRST_BACK_OFF_NANOS));
    }
    pollIn(delay);
  }

  private void pollIn(long delayNanos) {
    nextPoll = store.timers.in(delayNanos, this::onPollDue);
  }

  private void onPollDue() {
    effects.react(
        () -> {
          if (nextPoll != null) {
            nextPoll = null;
            owner.drive(store.ticker.nanos());
          }
        });
  }

  private void cancelPoll() {
    if (nextPoll != null) {
      nextPoll.cancel();
      nextPoll = null;
    }
  }

  // ---- messages ----

  /** The store may be able to grant a request of this client now. */
  void onNews(boolean taken, long now) {
    if (underWay != null) {
      pollAgain = true;
      takenEarly |= taken;
    } else if (isStanding()) {
      cancelPoll();
      owner.drive(now);
    }
  }

  /** Another process waits, so it also waits for a grant that is under way. */
  void onWanted() {
    wantedEarly |= underWay != null;
  }

  // ---- end ----

  /** The local queue is empty: no retry is due, and the ticket leaves the store's queue. */
  void giveUp() {
    if (underWay != null) {
      return;
    }
    cancelPoll();
    if (isStanding()) {
      undo();
      state = State.NONE;
    }
  }

  /**
   * The client closes, so later replies do not count.
   *
   * @return completes when the store has ended the attempt; null if there is none
   */
  @Nullable CompletableFuture<Boolean> close() {
    cancelPoll();
    Request request = underWay;
    boolean standing = isStanding();
    underWay = null;
    state = State.NONE;
    if (request == null && !standing) {
      return null;
    }
    GrantRequest sent = request == null ? requireNonNull(last) : request.sent;
    return store.release(sent, longestNanos, effects);
  }

  /**
   * The reason why a caller was not served, if the store is the cause.
   *
   * @param what begins the message
   * @param since when the caller came
   * @return null if the store answered
   */
  @Nullable RuntimeException whyUnanswered(String what, long since) {
    boolean ignorant = !known || knownAt - since < 0;
    if (failures == 0 && !ignorant) {
      return null;
    }
    Throwable failure = lastFailure;
    if (failure == null || failures == 0 || unknownSince) {
      return new OutcomeUnknownException(
          what + "; " + store.describe() + " did not answer; a grant that comes late is released",
          failure);
    }
    String text =
        what + "; " + store.describe() + " failed " + failures + " times: " + failure.getMessage();
    return failure instanceof NoQuorumException
        ? new NoQuorumException(text, failure)
        : new BackendException(text, failure);
  }
}
