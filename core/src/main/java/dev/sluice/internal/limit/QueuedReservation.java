package dev.sluice.internal.limit;

import dev.sluice.internal.call.BoundedCalls;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.TimerQueue;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Reservation;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A caller's reserved time, as the store promised it. In a leaky queue the time may move up when
 * another caller leaves. The store moves it in reply to this client's request. Until that reply has
 * arrived the caller does not go ahead: the old time may already belong to another caller.
 *
 * <p>Safe for use by many threads.
 */
final class QueuedReservation implements Reservation {
  private enum State {
    ENTERING,
    WAITING,
    MOVING,
    OVER
  }

  /** The waiting reservations of a client. */
  interface Registry {
    /** Registers a waiting caller, so that closing ends the wait. */
    void waits(QueuedReservation reservation);

    void forget(QueuedReservation reservation);
  }

  private final LimitStore store;
  private final Registry registry;
  private final BoundedCalls bounded;

  /** The request that entered the queue; null for a fixed time. */
  private final @Nullable QueueRequest request;

  /** Decides for a caller that the store may have moved to an unknown time. */
  private final BiFunction<QueueRequest, Throwable, QueuedReservation> outageFallback;

  private final CompletableFuture<Decision> turn = new CompletableFuture<>();
  // guarded by this
  private State state = State.ENTERING;
  private @Nullable Decision decision;
  private long readyAt;
  private boolean again;
  private TimerQueue.@Nullable Entry alarm;

  /** A reservation with a request under way. */
  QueuedReservation(
      LimitCalls calls,
      Registry registry,
      QueueRequest request,
      BiFunction<QueueRequest, Throwable, QueuedReservation> outageFallback) {
    this.store = calls.store;
    this.registry = registry;
    this.bounded = calls.bounded;
    this.request = request;
    this.outageFallback = outageFallback;
  }

  /** A fixed time, or a refusal. */
  QueuedReservation(LimitCalls calls, Registry registry, Decision decision, long waitMicros) {
    this.store = calls.store;
    this.registry = registry;
    this.bounded = calls.bounded;
    this.request = null;
    this.outageFallback = (r, f) -> this;
    entered(decision, waitMicros);
  }

  long ticket() {
    return request == null ? 0 : request.ticket();
  }

  /** The store has answered. */
  void entered(Decision answer, long waitMicros) {
    boolean move;
    boolean waits;
    synchronized (this) {
      decision = answer;
      if (state != State.ENTERING) {
        return; // cancelled meanwhile
      }
      readyAt = store.ticker.nanos() + waitMicros * 1000;
      if (answer.allowed() && waitMicros > 0) {
        state = State.WAITING;
        arm();
      } else {
        over();
      }
      waits = state == State.WAITING;
      move = again;
      again = false;
    }
    if (!waits) {
      turn.complete(answer);
      return;
    }
    registry.waits(this);
    if (move) {
      moveUp();
    }
  }

  @Override
  public synchronized Decision decision() {
    if (decision == null) {
      throw new IllegalStateException("the store has not answered yet");
    }
    return decision;
  }

  @Override
  public synchronized Duration delay() {
    return state == State.OVER
        ? Duration.ZERO
        : Duration.ofNanos(Math.max(0, readyAt - store.ticker.nanos()));
  }

  /** Completes when the caller may proceed. */
  CompletableFuture<Decision> turn() {
    return turn;
  }

  private void arm() {
    if (alarm != null) {
      alarm.cancel();
    }
    alarm = store.timers.at(readyAt, this::due);
  }

  private void due() {
    synchronized (this) {
      if (state != State.WAITING || store.ticker.nanos() - readyAt < 0) {
        return;
      }
      over();
    }
    store.callbacks.execute(() -> turn.complete(decision())); // who waited may go on for long
  }

  private void over() {
    state = State.OVER;
    if (alarm != null) {
      alarm.cancel();
    }
    registry.forget(this);
  }

  /** The reservation in front left or moved forward. */
  void moveUp() {
    QueueRequest mine = request;
    synchronized (this) {
      if (state == State.ENTERING || state == State.MOVING) {
        again = true;
      }
      if (state != State.WAITING || mine == null) {
        return;
      }
      state = State.MOVING;
    }
    bounded
        .call(() -> store.backend.advance(mine))
        .whenComplete((reply, failure) -> moved(mine, reply, failure));
  }

  private void moved(QueueRequest mine, @Nullable QueueReply reply, @Nullable Throwable failure) {
    boolean once;
    synchronized (this) {
      if (state != State.MOVING) {
        return;
      }
      once = again;
      again = false;
      if (reply == null) {
        over();
      } else {
        state = State.WAITING;
        if (reply.admitted()) { // else the turn has come already by the store's clock
          readyAt = store.ticker.nanos() + reply.delay() * 1000;
        }
        arm();
      }
    }
    if (reply == null) {
      try {
        Throwable why = failure == null ? new IllegalStateException("no answer") : failure;
        outageFallback
            .apply(mine, Failures.unwrap(why))
            .turn()
            .whenComplete(
                (answer, over) -> {
                  if (over == null) {
                    turn.complete(answer);
                  } else {
                    turn.completeExceptionally(over);
                  }
                });
      } catch (RuntimeException e) {
        turn.completeExceptionally(e);
      }
    } else if (once) {
      moveUp();
    }
  }

  @Override
  public void cancel() {
    QueueRequest mine = request;
    synchronized (this) {
      if (state == State.OVER) {
        return;
      }
      over();
    }
    if (mine != null) {
      bounded.call(() -> store.backend.leave(mine));
    }
    turn.cancel(false);
  }

  void close() {
    turn.completeExceptionally(Failures.closed());
    cancel();
  }
}
