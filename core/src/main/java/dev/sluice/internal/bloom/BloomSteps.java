package dev.sluice.internal.bloom;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** Consecutive requests of one call. */
final class BloomSteps {
  static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** The most requests in flight for one call. */
  private static final int LANES = 8;

  private BloomSteps() {}

  /** Runs an asynchronous action for each number, a few at a time. */
  static CompletableFuture<Void> forEach(
      long from, long to, LongFunction<? extends CompletionStage<?>> step) {
    if (from >= to) {
      return DONE;
    }
    AtomicLong next = new AtomicLong(from);
    int lanes = (int) Math.min(LANES, to - from);
    CompletableFuture<?>[] all = new CompletableFuture<?>[lanes];
    for (int i = 0; i < lanes; i++) {
      all[i] = lane(next, to, step);
    }
    return lanes == 1 ? all[0].thenAccept(done -> {}) : CompletableFuture.allOf(all);
  }

  private static CompletableFuture<Void> lane(
      AtomicLong next, long to, LongFunction<? extends CompletionStage<?>> step) {
    while (true) { // a loop, because a store in this JVM answers synchronously
      long number = next.getAndIncrement();
      if (number >= to) {
        return DONE;
      }
      CompletableFuture<?> under = step.apply(number).toCompletableFuture();
      if (!under.isDone()) {
        return under.thenCompose(done -> lane(next, to, step));
      }
      if (under.isCompletedExceptionally()) {
        next.set(to);
        return under.thenAccept(done -> {});
      }
    }
  }

  /** Retries an action a little later, while another process is at work. */
  static <T> CompletableFuture<T> later(long millis, Supplier<CompletableFuture<T>> step) {
    return CompletableFuture.supplyAsync(
            step, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS))
        .thenCompose(stage -> stage);
  }
}
