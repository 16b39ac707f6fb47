package dev.sluice.internal.call;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one limiter or cache to its store. Each ends within the deadline, and while the
 * store is in trouble most are not made. Safe for use by many threads.
 */
public final class BoundedCalls {
  /**
   * Creates the caller's result.
   *
   * @param <T> a reply of the store
   * @param <R> what the caller receives
   */
  @FunctionalInterface
  public interface Answer<T extends @Nullable Object, R extends @Nullable Object> {
    /**
     * The answer.
     *
     * @param reply null if the call failed
     * @param failure null if it did not
     * @throws Throwable what the caller receives in its place
     */
    @Nullable R of(@Nullable T reply, @Nullable Throwable failure) throws Throwable;
  }

  /** One call, and the future of its caller. */
  private final class Call<T extends @Nullable Object, R extends @Nullable Object>
      extends CompletableFuture<R> implements BiConsumer<T, @Nullable Throwable>, Deadlines.Timed {
    private final long sent;
    private final long due;
    private final Answer<? super T, R> answer;

    Call(long sent, Answer<? super T, R> answer) {
      long longest = isJudged() ? deadlineNanos : Math.max(deadlineNanos, FIRST_NANOS);
      this.sent = sent;
      this.due = sent + longest;
      this.answer = answer;
    }

    @Override
    public long due() {
      return due;
    }

    @Override
    public void late() {
      breaker.failed(sent, ticker.nanos());
      failLater(noAnswerWithin(due - sent));
    }

    /** Runs outside the timer's thread, because the following code may take long. */
    void failLater(RuntimeException failure) {
      try {
        callbacks.execute(() -> end(null, failure));
      } catch (RejectedExecutionException e) {
        end(null, failure); // the executor is shut down: better here than never
      }
    }

    /** The store has answered. */
    @Override
    public void accept(T reply, @Nullable Throwable failure) {
      if (deadlines.remove(this)) { // else it ran out of time, and was judged by that
        judge(sent, failure);
        end(reply, failure == null ? null : Failures.unwrap(failure));
      }
    }

    void end(@Nullable T reply, @Nullable Throwable failure) {
      try {
        complete(answer.of(reply, failure));
      } catch (Throwable e) {
        completeExceptionally(e);
      }
    }
  }

  /** The backend usually ends a call earlier by its own timeout. */
  private static final long FIRST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Ticker ticker;
  private final Executor callbacks;
  private final Breaker breaker = new Breaker();
  private final LongAdder trips = new LongAdder();
  private final BooleanSupplier answered;
  private volatile long deadlineNanos;

  private volatile boolean closed;

  private final Deadlines<Call<?, ?>> deadlines;

  /**
   * Calls to a store whose connections are open.
   *
   * @param ticker monotonic clock
   * @param timers of the same clock
   * @param callbacks runs what follows a call that ran out of time
   * @param deadline most time for a call
   */
  public BoundedCalls(Ticker ticker, TimerQueue timers, Executor callbacks, Duration deadline) {
    this(ticker, timers, callbacks, deadline, () -> true);
  }

  /**
   * Calls to a store that may have to connect first.
   *
   * @param ticker monotonic clock
   * @param timers of the same clock
   * @param callbacks runs what follows a call that ran out of time
   * @param deadline most time for a call
   * @param answered whether the store has answered a call: until then calls are not judged by the
   *     deadline
   */
  public BoundedCalls(
      Ticker ticker,
      TimerQueue timers,
      Executor callbacks,
      Duration deadline,
      BooleanSupplier answered) {
    this.answered = answered;
    this.ticker = ticker;
    this.deadlines = new Deadlines<>(ticker, timers);
    this.callbacks = callbacks;
    this.deadlineNanos = deadline.toNanos();
  }

  public void deadline(Duration deadline) {
    deadlineNanos = deadline.toNanos();
  }

  /** Whether the deadline applies: not while the store opens its first connection. */
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
   * Runs a call.
   *
   * @return completes within the deadline: with the reply, or with a {@link BackendException} if
   *     there is none
   */
  public <T extends @Nullable Object> CompletableFuture<T> call(Supplier<CompletionStage<T>> verb) {
    long now = ticker.nanos();
    RuntimeException refusal = refusal(now);
    if (refusal != null) {
      return CompletableFuture.failedFuture(refusal);
    }
    CompletableFuture<T> stage = Failures.call(verb).toCompletableFuture();
    if (stage.isDone()) {
      stage.whenComplete((reply, failure) -> judge(now, failure));
      return stage;
    }
    return watch(stage, new Call<>(now, BoundedCalls::orThrow));
  }

  private static <T extends @Nullable Object> @Nullable T orThrow(
      @Nullable T reply, @Nullable Throwable failure) throws Throwable {
    if (failure != null) {
      throw failure;
    }
    return reply;
  }

  /**
   * Runs a call whose reply is converted for the caller. The only future is that of the answer.
   *
   * @param answer called once
   * @return completes within the deadline
   */
  public <T, R> CompletableFuture<R> call(
      Supplier<CompletionStage<T>> verb, Answer<? super T, R> answer) {
    long now = ticker.nanos();
    Call<T, R> call = new Call<>(now, answer);
    RuntimeException refusal = refusal(now);
    if (refusal != null) {
      call.end(null, refusal);
      return call;
    }
    CompletableFuture<T> stage = Failures.call(verb).toCompletableFuture();
    if (!stage.isDone()) {
      return watch(stage, call);
    }
    stage.whenComplete(
        (reply, failure) -> {
          judge(now, failure);
          call.end(reply, failure == null ? null : Failures.unwrap(failure));
        });
    return call;
  }

  /** The reason why no call is made now; null if one is made, which is counted. */
  private @Nullable RuntimeException refusal(long now) {
    if (closed) {
      return Failures.closed();
    }
    if (!breaker.permits(now)) {
      return new BackendException("the store did not answer recently; calls are suspended", null);
    }
    trips.increment();
    return null;
  }

  private <T extends @Nullable Object, R extends @Nullable Object> CompletableFuture<R> watch(
      CompletionStage<T> stage, Call<T, R> call) {
    deadlines.add(call);
    if (closed) {
      close();
    }
    stage.whenComplete(call);
    return call;
  }

  private void judge(long sent, @Nullable Throwable failure) {
    if (failure == null || !Failures.isPassing(Failures.unwrap(failure))) {
      breaker.succeeded();
    } else {
      breaker.failed(sent, ticker.nanos());
    }
  }

  /** Fails the calls under way, and refuses later ones. */
  public void close() {
    closed = true;
    for (Call<?, ?> call : deadlines.open()) {
      if (deadlines.remove(call)) {
        call.failLater(Failures.closed());
      }
    }
  }
}
