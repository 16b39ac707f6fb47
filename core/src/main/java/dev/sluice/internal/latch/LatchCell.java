package dev.sluice.internal.latch;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.internal.call.Agenda;
import dev.sluice.internal.call.Asking;
import dev.sluice.internal.call.Failures;
import dev.sluice.latch.LatchLostException;
import dev.sluice.spi.LatchReply;
import dev.sluice.spi.Names;
import dev.sluice.state.LatchState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Everything that this process does about one latch: changes go to the store one after the other,
 * those who wait share one look. Safe for use by many threads.
 */
final class LatchCell {
  /*
   * One change is under way at a time, because the store tells a repeated request from a new one by
   * its number alone: a higher number ends the lower ones. Calls that come meanwhile travel together
   * with the next change.
   */
  private static final long REPEATS_FOR_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long POLL_NANOS = LatchState.POLL_MICROS * 1000;

  /** A request that changes the latch, and who waits for its answer. */
  private abstract static class Change<T> {
    final List<CompletableFuture<T>> callers = new ArrayList<>();
    long number;
    long firstSentAt;
    int tries;

    /** A try may have been carried out. */
    boolean unknown;

    abstract CompletionStage<T> send();
  }

  /** One who waits for the latch to open. */
  static final class Waiting {
    final LatchCell cell;
    final CompletableFuture<Boolean> opened = new CompletableFuture<>();

    /** A look was sent since he came. */
    boolean asked;

    /** Which round he waits for; 0: no look was answered yet. */
    long round;

    Waiting(LatchCell cell) {
      this.cell = cell;
    }
  }

  final String name;
  private final LatchEngine engine;
  // guarded by this
  private final Deque<Change<?>> line = new ArrayDeque<>();
  private @Nullable Change<?> underWay;
  private final List<Waiting> waiting = new ArrayList<>();
  private boolean looking;
  private boolean lookAgain;
  private Agenda.@Nullable Entry nextLook;
  private int failedLooks;
  private @Nullable Throwable lastFailure;
  private boolean retired;

  LatchCell(LatchEngine engine, String name) {
    this.engine = engine;
    this.name = name;
  }

  // ---- changes ----

  /** Sets the count; null if this cell is retired. */
  @Nullable CompletableFuture<Boolean> trySet(long count, long keepMicros) {
    Change<Boolean> change =
        new Change<>() {
          @Override
          CompletionStage<Boolean> send() {
            return engine.backend.trySet(name, engine.clientId, number, count, keepMicros);
          }
        };
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    change.callers.add(answer);
    synchronized (this) {
      if (retired) {
        return null;
      }
      line.add(change);
    }
    sendNext();
    return answer;
  }

  private final class CountDown extends Change<Long> {
    @Override
    CompletionStage<Long> send() {
      return engine.backend.countDown(name, engine.clientId, number, callers.size());
    }
  }

  /** Counts down; null if this cell is retired. */
  @Nullable CompletableFuture<Long> countDown() {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    synchronized (this) {
      if (retired) {
        return null;
      }
      if (!(line.peekLast() instanceof CountDown)) {
        line.add(new CountDown());
      }
      if (line.peekLast() instanceof CountDown last) {
        last.callers.add(answer);
      }
    }
    sendNext();
    return answer;
  }

  private void sendNext() {
    Change<?> next;
    synchronized (this) {
      if (underWay != null || line.isEmpty()) {
        return;
      }
      next = line.remove();
      next.number = engine.nextNumber();
      next.firstSentAt = engine.ticker.nanos();
      underWay = next;
    }
    send(next);
  }

  private <T> void send(Change<T> change) {
    change.tries++;
    Failures.call(change::send)
        .whenComplete((answer, failure) -> answered(change, answer, failure));
  }

  private <T> void answered(Change<T> change, T answer, @Nullable Throwable failure) {
    Throwable cause = failure == null ? null : Failures.unwrap(failure);
    boolean repeat = false;
    synchronized (this) {
      if (underWay != change) {
        return; // closed
      }
      change.unknown |= cause instanceof OutcomeUnknownException;
      boolean late = engine.ticker.nanos() - change.firstSentAt >= REPEATS_FOR_NANOS;
      if (cause != null && Failures.isPassing(cause) && !late) {
        repeat = change.tries == 1;
        if (!repeat) {
          engine.agenda.in(Asking.pause(change.tries, engine::jitter), () -> sendAgain(change));
          return;
        }
      } else {
        underWay = null;
      }
    }
    if (repeat) {
      send(change);
      return;
    }
    for (CompletableFuture<T> caller : change.callers) {
      if (cause == null) {
        caller.complete(answer);
      } else {
        caller.completeExceptionally(change.unknown ? Asking.afterUnknown(cause) : cause);
      }
    }
    sendNext();
    retireIfUnused();
  }

  private <T> void sendAgain(Change<T> change) {
    synchronized (this) {
      if (underWay != change) {
        return;
      }
    }
    send(change);
  }

  // ---- waiting ----

  /** Joins those who wait; null if this cell is retired. */
  @Nullable Waiting enlist() {
    Waiting one = new Waiting(this);
    synchronized (this) {
      if (retired) {
        return null;
      }
      waiting.add(one);
    }
    look();
    return one;
  }

  void onMessage() {
    look();
  }

  /** Asks the store, or sees to it that it is asked once more when it has answered. */
  private void look() {
    synchronized (this) {
      if (looking) {
        lookAgain = true;
        return;
      }
      if (waiting.isEmpty()) {
        return;
      }
      looking = true;
      lookAgain = false;
      if (nextLook != null) {
        nextLook.cancel();
        nextLook = null;
      }
      waiting.forEach(one -> one.asked = true);
    }
    engine.listenOnce();
    Failures.call(() -> engine.backend.look(name, engine.clientId)).whenComplete(this::looked);
  }

  private void looked(@Nullable LatchReply reply, @Nullable Throwable failure) {
    List<Runnable> news = new ArrayList<>();
    boolean again;
    synchronized (this) {
      looking = false;
      if (reply != null) {
        failedLooks = 0;
        lastFailure = null;
        waiting.removeIf(one -> one.asked && decide(one, reply, news));
      } else {
        Throwable cause =
            Failures.unwrap(failure == null ? new NullPointerException("reply") : failure);
        failedLooks++;
        lastFailure = cause;
        if (!Failures.isPassing(cause)) {
          waiting.forEach(one -> news.add(() -> one.opened.completeExceptionally(cause)));
          waiting.clear();
        }
      }
      again = lookAgain && !waiting.isEmpty();
      if (!again && !waiting.isEmpty()) {
        long pause = failedLooks == 0 ? POLL_NANOS : Asking.longestPause(failedLooks + 2);
        nextLook = engine.agenda.in(pause * 3 / 4 + engine.jitter(pause / 4), this::look);
      }
    }
    news.forEach(Runnable::run);
    if (again) {
      look();
    }
    retireIfUnused();
  }

  /** Whether the wait is over. */
  private boolean decide(Waiting one, LatchReply reply, List<Runnable> news) {
    if (one.round == 0 && reply.count() > 0) {
      one.round = reply.round();
      return false;
    }
    if (one.round == 0 || reply.opened() >= one.round) {
      news.add(() -> one.opened.complete(true));
      return true;
    }
    if (reply.round() == one.round) {
      return false;
    }
    news.add(
        () ->
            one.opened.completeExceptionally(
                new LatchLostException(
                    "latch "
                        + Names.quoted(name)
                        + ": the store has forgotten it; nobody can say whether it opened")));
    return true;
  }

  /** The time of a wait is over. */
  void giveUp(Waiting one) {
    Throwable why = null;
    synchronized (this) {
      if (!waiting.remove(one)) {
        return;
      }
      if (failedLooks > 0) {
        why = lastFailure;
      } else if (one.round == 0) {
        why = new OutcomeUnknownException("no answer within the wait", null);
      }
    }
    if (why != null) {
      one.opened.completeExceptionally(why);
    } else {
      one.opened.complete(false);
    }
  }

  /** A wait has ended, one way or another. */
  void leave(Waiting one) {
    synchronized (this) {
      waiting.remove(one);
      if (waiting.isEmpty() && nextLook != null) {
        nextLook.cancel();
        nextLook = null;
      }
    }
    retireIfUnused();
  }

  // ---- end ----

  private void retireIfUnused() {
    synchronized (this) {
      if (retired || underWay != null || looking || !line.isEmpty() || !waiting.isEmpty()) {
        return;
      }
      retired = true;
    }
    engine.forget(this);
  }

  /** All who wait for an answer fail. */
  void close() {
    List<CompletableFuture<?>> callers = new ArrayList<>();
    synchronized (this) {
      retired = true;
      if (underWay != null) {
        callers.addAll(underWay.callers);
        underWay = null;
      }
      line.forEach(change -> callers.addAll(change.callers));
      line.clear();
      waiting.forEach(one -> callers.add(one.opened));
      waiting.clear();
    }
    callers.forEach(caller -> caller.completeExceptionally(Failures.closed()));
  }
}
