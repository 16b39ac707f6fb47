package dev.sluice.limit;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous view of a {@link RateLimiter}: the same decisions. Stages of store calls
 * complete on the connection's thread or the caller's, so what follows them must not block;
 * cancelling the future of a stage that waits gives its place up.
 *
 * @since 0.1
 */
public interface AsyncRateLimiter {

  /**
   * See {@link RateLimiter#tryAcquire(String)}.
   *
   * @param key whose permits
   * @return completes with the decision
   */
  default CompletionStage<Decision> tryAcquire(String key) {
    return tryAcquire(key, 1);
  }

  /**
   * See {@link RateLimiter#tryAcquire(String, long)}.
   *
   * @param key whose permits
   * @param cost how many
   * @return completes with the decision
   */
  CompletionStage<Decision> tryAcquire(String key, long cost);

  /**
   * See {@link RateLimiter#peek(String, long)}.
   *
   * @param key whose permits
   * @param cost how many
   * @return completes with the decision
   */
  CompletionStage<Decision> peek(String key, long cost);

  /**
   * See {@link RateLimiter#tryAcquire(String, long, Duration)}; the stage completes when the call
   * may go ahead, or with a refusal.
   *
   * @param key whose permits
   * @param cost how many
   * @param wait longest wait
   * @return completes with the decision
   */
  CompletionStage<Decision> tryAcquire(String key, long cost, Duration wait);

  /**
   * See {@link RateLimiter#acquire}; the stage completes when the call may go ahead.
   *
   * @param key whose permits
   * @param cost how many
   * @param wait longest wait
   * @return completes with a decision that allows the call, or with {@link RateLimitedException}
   */
  CompletionStage<Decision> acquire(String key, long cost, Duration wait);

  /**
   * See {@link RateLimiter#reserve}.
   *
   * @param key whose permits
   * @param cost how many
   * @param maxWait longest wait
   * @return completes with the reservation
   */
  CompletionStage<Reservation> reserve(String key, long cost, Duration maxWait);

  /**
   * See {@link RateLimiter#tryBegin}.
   *
   * @param key whose permits
   * @param estimate what the use will probably cost
   * @return completes with the use
   */
  CompletionStage<Usage> tryBegin(String key, long estimate);

  /**
   * See {@link RateLimiter#begin}.
   *
   * @param key whose permits
   * @param estimate what the use will probably cost
   * @return completes with the use, or with {@link RateLimitedException}
   */
  CompletionStage<Usage> begin(String key, long estimate);

  /**
   * See {@link RateLimiter#settle}.
   *
   * @param key whose permits
   * @param usageId {@link Usage#id()} of the use
   * @param actual what the use has cost, 0 or more
   * @return completes with whether it counted
   */
  CompletionStage<Settlement> settle(String key, String usageId, long actual);

  /**
   * See {@link RateLimiter#refund(String, String)}.
   *
   * @param key whose permits
   * @param usageId {@link Usage#id()} of the use
   * @return completes with whether it counted
   */
  CompletionStage<Settlement> refund(String key, String usageId);

  /**
   * See {@link RateLimiter#refund(String, long)}.
   *
   * @param key whose permits
   * @param cost how many
   * @return completes when the store has done it
   */
  CompletionStage<Void> refund(String key, long cost);

  /**
   * See {@link RateLimiter#reset}.
   *
   * @param key whose permits
   * @return completes when the store has done it
   */
  CompletionStage<Void> reset(String key);
}
