package dev.sluice.internal;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * A limiter's calls to its store: each ends within the deadline, and while the store is in trouble
 * most are not made at all. Safe for use by many threads.
 */
final class StoreLine {
  private static final class Call<T> extends CompletableFuture<T> {
    final long due;

    Call(long due) {
      this.due = due;
    }
  }

  private final LimitEngine engine;
  private final Breaker breaker = new Breaker();
  private final LongAdder trips = new LongAdder();
  private volatile long deadlineNanos;

  /** Calls without an answer; all have the same deadline, so the first is due first. */
  private final ConcurrentLinkedQueue<Call<?>> underWay = new ConcurrentLinkedQueue<>();

  private final AtomicBoolean watching = new AtomicBoolean();

  StoreLine(LimitEngine engine, Duration deadline) {
    this.engine = engine;
    this.deadlineNanos = deadline.toNanos();
  }

  void deadline(Duration deadline) {
    deadlineNanos = deadline.toNanos();
  }

  long trips() {
    return trips.sum();
  }

  /**
   * Makes a call.
   *
   * @return completes within the deadline: with the answer, or with a {@link BackendException} if
   *     there is none
   */
  <T> CompletableFuture<T> call(Supplier<CompletionStage<T>> verb) {
    long now = engine.ticker.nanos();
    if (!breaker.permits(now)) {
      return CompletableFuture.failedFuture(
          new BackendException("the store did not answer lately; it is not asked for now", null));
    }
    trips.increment();
    CompletableFuture<T> stage;
    try {
      stage = verb.get().toCompletableFuture();
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedFuture(e);
    }
    if (stage.isDone()) {
      stage.whenComplete((answer, failure) -> judge(failure));
      return stage;
    }
    Call<T> call = new Call<>(now + deadlineNanos);
    underWay.add(call);
    watch(call.due);
    stage.whenComplete(
        (answer, failure) -> {
          underWay.remove(call); // the head, as a rule
          judge(failure);
          if (failure == null) {
            call.complete(answer);
          } else {
            call.completeExceptionally(Failures.unwrap(failure));
          }
        });
    return call;
  }

  private void judge(Throwable failure) {
    if (failure == null || !Failures.isPassing(Failures.unwrap(failure))) {
      breaker.succeeded();
    } else {
      breaker.failed(engine.ticker.nanos());
    }
  }

  private void watch(long due) {
    if (!watching.get() && watching.compareAndSet(false, true)) {
      engine.agenda.at(due, this::look);
    }
  }

  private void look() {
    long now = engine.ticker.nanos();
    Call<?> head = underWay.peek();
    while (head != null && now - head.due >= 0) {
      if (underWay.remove(head)) {
        breaker.failed(now);
        head.completeExceptionally(
            new OutcomeUnknownException(
                "no answer within " + Texts.shortly(Duration.ofNanos(deadlineNanos)), null));
      }
      head = underWay.peek();
    }
    watching.set(false);
    if (head == null) {
      head = underWay.peek(); // one that came between the look and the flag
    }
    if (head != null) {
      watch(head.due);
    }
  }
}
