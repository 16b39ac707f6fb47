package dev.sluice.inventory;

/**
 * One order of the ledger, which is the database of record.
 *
 * @param claimant whose it is
 * @param epoch the sale in which it was claimed, as {@link Claim#epoch} said: 1 to 2^53 - 1. An
 *     order of another epoch than the present sale's is a conflict
 * @param claimId the claim from which it came
 * @param quantity units
 * @param requestId the request that was accepted
 * @param state {@link ClaimState#HELD} while unpaid, {@link ClaimState#CONFIRMED}, or {@link
 *     ClaimState#CANCELLED}
 * @since 0.1
 */
public record LedgerEntry(
    String claimant, long epoch, long claimId, int quantity, String requestId, ClaimState state) {

  /** Checks the state. */
  public LedgerEntry {
    if (state != ClaimState.HELD
        && state != ClaimState.CONFIRMED
        && state != ClaimState.CANCELLED) {
      throw new IllegalArgumentException(
          "state of an order must be HELD, CONFIRMED or CANCELLED: " + state);
    }
  }
}
