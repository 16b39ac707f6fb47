package dev.sluice.inventory;

/**
 * The state of a claim.
 *
 * @since 0.1
 */
public enum ClaimState {

  /** Accepted; waits for a drain, or is assigned to one. Does not run out. */
  QUEUED,

  /** Accepted and, in a sale with a drain, durable; returned if it is not confirmed in time. */
  HELD,

  /** Final; its units are never returned. */
  CONFIRMED,

  /** Cancelled or rejected; its units are returned. */
  CANCELLED,

  /** The claim was not confirmed in time; its units are returned. */
  RETURNED,

  /** A dead letter: a consumer could not write it. It keeps its units until an operator decides. */
  DEAD_LETTER,

  /** The store has no such claim. */
  UNKNOWN;

  /** {@return whether a claim in this state holds units of the stock} */
  public boolean isLive() {
    return this == QUEUED || this == HELD || this == CONFIRMED || this == DEAD_LETTER;
  }
}
