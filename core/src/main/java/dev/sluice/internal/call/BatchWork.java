package dev.sluice.internal.call;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests of one kind in batches and reads their replies. A {@link Batcher} calls it.
 *
 * @param <Q> a request of one caller
 * @param <R> its answer
 */
public interface BatchWork<Q, R> {
  /**
   * Sends requests in one call.
   *
   * @param batch one or more, in the order in which they arrived
   * @return the answer to each request, by its index; each is asked for at most once
   */
  CompletionStage<IntFunction<R>> send(List<Q> batch);

  /** Whether a request can join the batch of the first one. Called under the monitor. */
  default boolean fits(Q first, Q next) {
    return true;
  }

  /**
   * Answers requests that waited during a call from its result. Called under the monitor, so that
   * no request begins to wait meanwhile.
   *
   * @return answers the first waiting request, or returns null if that one needs a call; null if
   *     all need one
   */
  default @Nullable Function<Q, @Nullable R> withoutCall() {
    return null;
  }

  /**
   * Completes a request that failed.
   *
   * @throws Throwable what the caller receives instead of an answer
   */
  default R failed(Q request, Throwable cause) throws Throwable {
    throw cause;
  }

  /**
   * The failure of a request at its due time. Called under the monitor.
   *
   * @param unknown whether a call that carried it may have been carried out
   * @param last why the last such call failed
   */
  default Throwable late(boolean unknown, @Nullable Throwable last) {
    return RetryingCall.noAnswer(unknown, last);
  }

  /** Called when no request waits and no call is under way. */
  default void idle() {}

  /**
   * Limits of a batch, and the rule for retrying failed calls.
   *
   * @param maxBatch most requests in one call
   * @param maxCalls most calls under way
   * @param enough so many waiting requests are sent although a call is under way
   * @param repeatNanos how long after its first call a batch may be sent again; 0: never
   */
  record Rules(int maxBatch, int maxCalls, int enough, long repeatNanos) {}
}
