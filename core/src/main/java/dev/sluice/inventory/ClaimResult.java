package dev.sluice.inventory;

/**
 * The result of a claim.
 *
 * @param outcome what was decided
 * @param claimId names the claim, also on every retry; 0 if there is none
 * @param state of that claim; {@link ClaimState#UNKNOWN} if there is none
 * @param quantity units of that claim; 0 if there is none
 * @since 0.1
 */
public record ClaimResult(Outcome outcome, long claimId, ClaimState state, int quantity) {

  /** The decision about a claim. */
  public enum Outcome {

    /** The claimant has the units now. */
    ACCEPTED,

    /**
     * The claimant has a claim: by this very request, which was sent before, or a live one by
     * another request. Nothing was taken.
     */
    ALREADY_CLAIMED,

    /** Fewer units are left than requested. They may come back. */
    SOLD_OUT,

    /** The sale has not begun, or has ended. */
    CLOSED,

    /** The store has no such stock. */
    NOT_LOADED
  }

  /** {@return whether the claimant has units now, by this call or by an earlier one} */
  public boolean isClaimed() {
    return state.isLive();
  }
}
