package dev.sluice.internal.call;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.spi.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One request that is retried until it is answered or its time is over. */
public final class RetryingCall<T extends @Nullable Object> {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final TimerQueue timers;
  private final Ticker ticker;
  private final LongUnaryOperator jitter;
  private final Supplier<CompletionStage<T>> verb;
  private final CompletableFuture<T> answer = new CompletableFuture<>();
  private final TimerQueue.Entry end;
  private final long deadline;
  private int tries; // of one try after the other
  private volatile boolean underWay;
  private volatile boolean unknown;
  private volatile @Nullable Throwable lastFailure;

  private RetryingCall(
      TimerQueue timers,
      Ticker ticker,
      LongUnaryOperator jitter,
      long timeoutNanos,
      Supplier<CompletionStage<T>> verb) {
    this.timers = timers;
    this.ticker = ticker;
    this.jitter = jitter;
    this.verb = verb;
    this.deadline = ticker.nanos() + timeoutNanos;
    this.end = timers.at(deadline, this::giveUp);
  }

  /**
   * Sends a request, and retries it after a temporary failure.
   *
   * @param timers of the client
   * @param ticker its clock
   * @param jitter a random number below another
   * @param timeoutNanos most time
   * @param verb the request; the same thing however often it is sent
   * @return the answer
   */
  public static <T extends @Nullable Object> CompletableFuture<T> of(
      TimerQueue timers,
      Ticker ticker,
      LongUnaryOperator jitter,
      long timeoutNanos,
      Supplier<CompletionStage<T>> verb) {
    RetryingCall<T> call = new RetryingCall<>(timers, ticker, jitter, timeoutNanos, verb);
    call.send();
    return call.answer;
  }

  private void send() {
    if (answer.isDone()) {
      return;
    }
    tries++;
    underWay = true;
    Failures.call(verb).whenComplete(this::answered);
  }

  private void answered(T reply, @Nullable Throwable failure) {
    underWay = false;
    if (failure == null) {
      end.cancel();
      answer.complete(reply);
      return;
    }
    Throwable cause = Failures.unwrap(failure);
    unknown |= cause instanceof OutcomeUnknownException;
    lastFailure = cause;
    if (!Failures.isPassing(cause)) {
      end.cancel();
      answer.completeExceptionally(cause);
      return;
    }
    if (tries == 1) {
      send();
      return;
    }
    long pause = pause(tries, jitter);
    if (ticker.nanos() + pause - deadline < 0) {
      timers.in(pause, this::send);
    } else {
      giveUp();
    }
  }

  /** The pause after a number of failures, at least 2: the first retry follows immediately. */
  public static long pause(int failures, LongUnaryOperator jitter) {
    long pause = longestPause(failures);
    return pause / 2 + jitter.applyAsLong(pause / 2);
  }

  public static long longestPause(int failures) {
    return Math.min(LAST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(failures - 2, 10));
  }

  private void giveUp() {
    end.cancel();
    answer.completeExceptionally(noAnswer(unknown || underWay, lastFailure));
  }

  /** The message of a timeout. */
  public static Throwable noAnswer(boolean unknown, @Nullable Throwable last) {
    if (unknown) {
      return last == null
          ? new OutcomeUnknownException("no answer within the timeout", null)
          : afterUnknown(last);
    }
    return last == null
        ? new BackendException("the store was not reached in time; nothing was done", null)
        : last;
  }

  /** The last of several attempts, an earlier one of which may have been executed. */
  public static Throwable afterUnknown(Throwable last) {
    return last instanceof BackendException && !(last instanceof OutcomeUnknownException)
        ? new OutcomeUnknownException(
            "no answer to an earlier attempt, so it may have been executed; the last attempt: "
                + last.getMessage(),
            last)
        : last;
  }
}
