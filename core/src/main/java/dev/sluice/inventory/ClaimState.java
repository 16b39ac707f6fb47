package dev.sluice.inventory;

/**
 * The state of a claim.
 *
 * @since 0.1
 */
public enum ClaimState {

  /** Accepted; waits for a drain, or is with one. Does not run out. */
  QUEUED,

  /**
   * Accepted and, where the sale is drained, durable; is returned if it is not confirmed in time.
   */
  HELD,

  /** Final: its units never come back. */
  CONFIRMED,

  /** Given up or rejected; its units are back. */
  CANCELLED,

  /** It was not confirmed in time; its units are back. */
  RETURNED,

  /** Set aside by a consumer that could not write it; keeps its units until an operator decides. */
  SET_ASIDE,

  /** The store knows no such claim. */
  UNKNOWN;

  /** {@return whether a claim in this state takes units of the stock} */
  public boolean isLive() {
    return this == QUEUED || this == HELD || this == CONFIRMED || this == SET_ASIDE;
  }
}
