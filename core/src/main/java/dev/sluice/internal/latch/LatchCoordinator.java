package dev.sluice.internal.latch;

import dev.sluice.MissingDataException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.internal.call.BatchWork;
import dev.sluice.internal.call.Batcher;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.RetryingCall;
import dev.sluice.internal.call.TimerQueue;
import dev.sluice.spi.LatchReply;
import dev.sluice.state.LatchState;
import dev.sluice.text.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Coordinates the calls of this process on one latch: changes go to the store one after another,
 * and waiters share one poll. Safe for use by many threads.
 */
final class LatchCoordinator {
  /*
   * One change is under way at a time, because the store distinguishes a repeated request from a
   * new one by its number alone: a higher number ends the lower ones. Calls that come meanwhile
   * travel together with the next change.
   */
  private static final BatchWork.Rules RULES =
      new BatchWork.Rules(Integer.MAX_VALUE, 1, 1, TimeUnit.SECONDS.toNanos(5));

  private static final long POLL_NANOS = LatchState.POLL_MICROS * 1000;

  /** A call that changes the latch. */
  private static final class Change {
    /** The count to set; 0 to count down. */
    final long count;

    final long keepMicros;

    /** The number of the request that carries it, from the first attempt on. */
    long number;

    Change(long count, long keepMicros) {
      this.count = count;
      this.keepMicros = keepMicros;
    }
  }

  /** A waiting caller of a latch. */
  static final class Waiting {
    final LatchCoordinator coordinator;
    final CompletableFuture<Boolean> opened = new CompletableFuture<>();

    /** A poll was sent after the caller came. */
    boolean asked;

    /** The round that the caller waits for; 0 before the first reply. */
    long round;

    Waiting(LatchCoordinator coordinator) {
      this.coordinator = coordinator;
    }
  }

  final String name;
  private final LatchEngine engine;
  private final Batcher<Change, Long> changes;
  // guarded by this
  private final List<Waiting> waiting = new ArrayList<>();
  private boolean looking;
  private boolean lookAgain;
  private TimerQueue.@Nullable Entry nextLook;
  private int failedLooks;
  private @Nullable Throwable lastFailure;
  private boolean retired;

  LatchCoordinator(LatchEngine engine, String name) {
    this.engine = engine;
    this.name = name;
    this.changes =
        new Batcher<>(new Changes(), RULES, engine.ticker, engine.timers, engine.callbacks);
  }

  // ---- changes ----

  /** Sets the count; null if this coordinator has retired. Answers 1 if it was set. */
  @Nullable CompletableFuture<Long> trySet(long count, long keepMicros) {
    return changes.add(new Change(count, keepMicros), Batcher.NEVER, false);
  }

  /** Counts down; null if this coordinator has retired. */
  @Nullable CompletableFuture<Long> countDown() {
    return changes.add(new Change(0, 0), Batcher.NEVER, false);
  }

  private final class Changes implements BatchWork<Change, Long> {
    @Override
    public boolean fits(Change first, Change next) {
      return first.count == 0 && next.count == 0;
    }

    @Override
    public CompletionStage<IntFunction<Long>> send(List<Change> batch) {
      Change first = batch.get(0);
      if (first.number == 0) {
        first.number = engine.nextNumber();
      }
      CompletionStage<Long> answer =
          first.count > 0
              ? engine
                  .backend
                  .trySet(name, engine.clientId, first.number, first.count, first.keepMicros)
                  .thenApply(set -> set ? 1L : 0L)
              : engine.backend.countDown(name, engine.clientId, first.number, batch.size());
      return answer.thenApply(number -> index -> number);
    }

    @Override
    public void idle() {
      retireIfUnused();
    }
  }

  // ---- waiting ----

  /** Joins the waiters; null if this coordinator has retired. */
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

  /** Polls the store, now or after the reply under way. */
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
        long pause = failedLooks == 0 ? POLL_NANOS : RetryingCall.longestPause(failedLooks + 2);
        nextLook = engine.timers.in(pause * 3 / 4 + engine.jitter(pause / 4), this::look);
      }
    }
    news.forEach(Runnable::run);
    if (again) {
      look();
    }
    retireIfUnused();
  }

  /** Whether the wait has ended. */
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
                new MissingDataException(
                    "latch "
                        + Names.quoted(name)
                        + ": the store lost it, so it is unknown whether it opened; set its count again",
                    null)));
    return true;
  }

  /** The wait has timed out. */
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

  /** A wait has ended, with or without success. */
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
      if (retired || looking || !waiting.isEmpty() || !changes.retire()) {
        return;
      }
      retired = true;
    }
    engine.forget(this);
  }

  /** Fails all callers that wait for a reply. */
  void close() {
    List<Waiting> open;
    synchronized (this) {
      retired = true;
      open = List.copyOf(waiting);
      waiting.clear();
    }
    changes.close();
    open.forEach(one -> one.opened.completeExceptionally(Failures.closed()));
  }
}
