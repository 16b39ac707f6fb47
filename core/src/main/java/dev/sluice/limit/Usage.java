package dev.sluice.limit;

import java.util.concurrent.CompletionStage;

/**
 * A use whose cost is known only at its end: it began with an estimate, and {@link #settle}
 * replaces the estimate by the cost. If nothing settles it, the estimate stands.
 *
 * <p>The first settlement or refund counts, at the store, by {@link #id()}. So either may be
 * repeated when it failed and its outcome is unknown. Safe for use by many threads.
 *
 * @since 0.1
 */
public interface Usage {

  /** {@return the decision; if it is a refusal, nothing was taken} */
  Decision decision();

  /** {@return the key whose permits were taken} */
  String key();

  /** {@return the permits that were taken when the use began} */
  long estimate();

  /**
   * Returns the id, unique to this use. Kept together with the key, it settles the use in another
   * process or after a restart ({@link RateLimiter#settle}).
   *
   * @return at most 128 characters: ASCII letters, digits, and the characters {@code . - _}
   */
  String id();

  /**
   * Replaces the estimate by the cost. If the cost is lower, the difference goes back, as far as it
   * did not come back by itself meanwhile. If it is higher, the difference is spent now and may
   * leave the key in debt, of at most its capacity: the next call passes when the debt has drained.
   * A tier that counts calls keeps this one.
   *
   * @param actual what the use has cost, 0 or more. It may exceed the capacity
   * @return whether it counted
   * @throws IllegalArgumentException if {@code actual} is negative
   * @throws IllegalStateException if the use was refused
   * @throws dev.sluice.BackendException if the store did not answer; repeat it
   */
  Settlement settle(long actual);

  /**
   * Refunds the estimate of a use that did not happen, also in tiers that count calls.
   *
   * @return whether it counted
   * @throws IllegalStateException if the use was refused
   * @throws dev.sluice.BackendException if the store did not answer; repeat it
   */
  Settlement refund();

  /**
   * See {@link #settle}.
   *
   * @param actual what the use has cost, 0 or more
   * @return completes with whether it counted
   */
  CompletionStage<Settlement> settleAsync(long actual);

  /**
   * See {@link #refund}.
   *
   * @return completes with whether it counted
   */
  CompletionStage<Settlement> refundAsync();
}
