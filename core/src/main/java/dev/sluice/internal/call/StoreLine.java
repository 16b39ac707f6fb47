package dev.sluice.internal.call;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one user of a store: each ends within the deadline, and while the store is in
 * trouble most are not made at all. Safe for use by many threads.
 */
public final class StoreLine {
  private static final class Call<T extends @Nullable Object> extends CompletableFuture<T> {
    final long sent;
    final long due;

    Call(long sent, long due) {
      this.sent = sent;
      this.due = due;
    }
  }

  /** The backend ends a call earlier by its own timeout, as a rule. */
  private static final long FIRST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Ticker ticker;
  private final Agenda agenda;
  private final Executor callbacks;
  private final Breaker breaker = new Breaker();
  private final LongAdder trips = new LongAdder();
  private final BooleanSupplier answered;
  private volatile long deadlineNanos;

  private volatile boolean closed;

  /** Calls without an answer, the oldest first. */
  private final ConcurrentLinkedQueue<Call<?>> underWay = new ConcurrentLinkedQueue<>();

  // written under this: when the alarm goes off; no call under way is due earlier
  private volatile long alarm;
  private volatile boolean armed;

  /**
   * A line to a store whose connections are open.
   *
   * @param ticker monotonic clock
   * @param agenda of the same clock
   * @param callbacks runs what follows a call that ran out of time
   * @param deadline most time for a call
   */
  public StoreLine(Ticker ticker, Agenda agenda, Executor callbacks, Duration deadline) {
    this(ticker, agenda, callbacks, deadline, () -> true);
  }

  /**
   * A line to a store that is in good health as far as anybody knows.
   *
   * @param ticker monotonic clock
   * @param agenda of the same clock
   * @param callbacks runs what follows a call that ran out of time
   * @param deadline most time for a call
   * @param answered whether the store has answered a call: until then calls are not judged by the
   *     deadline
   */
  public StoreLine(
      Ticker ticker,
      Agenda agenda,
      Executor callbacks,
      Duration deadline,
      BooleanSupplier answered) {
    this.answered = answered;
    this.ticker = ticker;
    this.agenda = agenda;
    this.callbacks = callbacks;
    this.deadlineNanos = deadline.toNanos();
  }

  public void deadline(Duration deadline) {
    deadlineNanos = deadline.toNanos();
  }

  /** Whether the deadline holds: not while the store opens its first connection. */
  public boolean isJudged() {
    return answered.getAsBoolean();
  }

  public long deadlineNanos() {
    return deadlineNanos;
  }

  public OutcomeUnknownException noAnswerInTime() {
    return noAnswerWithin(deadlineNanos);
  }

  private static OutcomeUnknownException noAnswerWithin(long nanos) {
    return new OutcomeUnknownException(
        "no answer within " + Durations.shortly(Duration.ofNanos(nanos)), null);
  }

  public long trips() {
    return trips.sum();
  }

  /**
   * Makes a call.
   *
   * @return completes within the deadline: with the answer, or with a {@link BackendException} if
   *     there is none
   */
  public <T extends @Nullable Object> CompletableFuture<T> call(Supplier<CompletionStage<T>> verb) {
    long now = ticker.nanos();
    if (closed) {
      return CompletableFuture.failedFuture(Failures.closed());
    }
    if (!breaker.permits(now)) {
      return CompletableFuture.failedFuture(
          new BackendException("the store did not answer lately; it is not asked for now", null));
    }
    trips.increment();
    long longest = isJudged() ? deadlineNanos : Math.max(deadlineNanos, FIRST_NANOS);
    CompletableFuture<T> stage;
    try {
      stage = verb.get().toCompletableFuture();
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedFuture(e);
    }
    if (stage.isDone()) {
      stage.whenComplete((answer, failure) -> judge(now, failure));
      return stage;
    }
    Call<T> call = new Call<>(now, now + longest);
    underWay.add(call);
    watch(call.due);
    if (closed) {
      close();
    }
    stage.whenComplete(
        (answer, failure) -> {
          if (underWay.remove(call)) { // else it ran out of time, and was judged by that
            judge(call.sent, failure);
          }
          if (failure == null) {
            call.complete(answer);
          } else {
            call.completeExceptionally(Failures.unwrap(failure));
          }
        });
    return call;
  }

  private void judge(long sent, @Nullable Throwable failure) {
    if (failure == null || !Failures.isPassing(Failures.unwrap(failure))) {
      breaker.succeeded();
    } else {
      breaker.failed(sent, ticker.nanos());
    }
  }

  private void watch(long due) {
    if (!armed || due - alarm < 0) {
      arm(due);
    }
  }

  private synchronized void arm(long due) {
    if (!armed || due - alarm < 0) {
      alarm = due;
      armed = true;
      agenda.at(due, this::look);
    }
  }

  private void look() {
    armed = false; // first, so that a call which is not seen below arms it
    long now = ticker.nanos();
    for (Call<?> call : underWay) {
      if (now - call.due < 0) {
        watch(call.due);
      } else if (underWay.remove(call)) {
        breaker.failed(call.sent, now);
        fail(call, noAnswerWithin(call.due - call.sent));
      }
    }
  }

  /** Off the timer's thread: whoever goes on may do so for long. */
  private void fail(Call<?> call, RuntimeException failure) {
    callbacks.execute(() -> call.completeExceptionally(failure));
  }

  /** Ends the calls that are under way, and makes no more. */
  public void close() {
    closed = true;
    for (Call<?> call : underWay) {
      if (underWay.remove(call)) {
        fail(call, Failures.closed());
      }
    }
  }
}
