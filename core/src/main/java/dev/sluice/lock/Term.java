package dev.sluice.lock;

import java.util.concurrent.CompletionStage;

/**
 * One term of leadership. It ends with the first doubt and never comes back: a renewal that is
 * overdue ends it while the store still keeps the lock for us, so no other leader can be elected
 * before this one knows. Safe for use by many threads.
 *
 * @since 0.1
 */
public interface Term {

  /** {@return the fencing token of this term, higher than those of all earlier terms} */
  long token();

  /** {@return whether this candidate leads} No round trip. */
  boolean isLeader();

  /**
   * Throws if the term has ended. No round trip.
   *
   * @throws LeaseLostException if it is
   */
  void checkLeader();

  /** {@return the lease of the term, for a guard; releasing it ends the term} */
  Lease lease();

  /** Ends the term immediately. Idempotent. */
  void resign();

  /** {@return a stage that completes when the term has ended, on the callback executor} */
  CompletionStage<StepDown> over();
}
