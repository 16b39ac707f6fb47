package dev.sluice.lock;

import java.util.concurrent.CompletionStage;

/**
 * One time of leadership. It ends with the first doubt and never comes back: a renewal that is
 * overdue ends it while the store still keeps the lock for us, so no other leader can be elected
 * before this one knows. Safe for use by many threads.
 *
 * @since 0.1
 */
public interface Term {

  /** {@return the fencing token of this term, higher than those of all earlier terms} */
  long token();

  /** {@return whether we lead} No round trip. */
  boolean isLeader();

  /**
   * Throws if the term is over. No round trip.
   *
   * @throws LeaseLostException if it is
   */
  void checkLeader();

  /** {@return the lease underneath, for a guard; releasing it ends the term} */
  Lease lease();

  /** Ends the term, as if it were in doubt. Idempotent. */
  void resign();

  /** {@return completes when the term is over, on the callback executor} */
  CompletionStage<StepDown> over();
}
