package dev.sluice.inventory;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * One order of the ledger, which is the database of record. An immutable value: {@link
 * #claimId(long)} or {@link #of} begins one, and each further method returns a changed copy. {@link
 * Inventory#reconcile} and {@link Inventory#restore} refuse an entry without an epoch, a claimant,
 * a quantity or a request, and values out of their range.
 *
 * <pre>{@code
 * LedgerEntry paid =
 *     LedgerEntry.claimId(1_750_000_000_000_001L)
 *         .epoch(7)
 *         .claimant("user/7")
 *         .quantity(1)
 *         .requestId("request-1")
 *         .state(ClaimState.CONFIRMED);
 * sluice.inventory("sneakers").restore(paid);
 * }</pre>
 *
 * @since 0.1
 */
public final class LedgerEntry {
  private final Values values;

  private LedgerEntry(Values values) {
    this.values = values;
  }

  private record Values(
      long claimId, long epoch, String claimant, int quantity, String requestId, ClaimState state) {

    Values {
      requireNonNull(claimant, "claimant must not be null");
      requireNonNull(requestId, "requestId must not be null");
      if (state != ClaimState.HELD
          && state != ClaimState.CONFIRMED
          && state != ClaimState.CANCELLED) {
        throw new IllegalArgumentException(
            "state of an order must be HELD, CONFIRMED or CANCELLED: " + state);
      }
    }
  }

  /**
   * An order that is not paid yet ({@link ClaimState#HELD}).
   *
   * @param claimId the claim from which it came, 1 to 2^53 - 1
   * @return the entry, to be completed
   */
  public static LedgerEntry claimId(long claimId) {
    return new LedgerEntry(new Values(claimId, 0, "", 0, "", ClaimState.HELD));
  }

  /**
   * The order of a claim, not paid yet ({@link ClaimState#HELD}).
   *
   * @param claim from which it came
   * @return the entry, complete
   */
  public static LedgerEntry of(Claim claim) {
    return new LedgerEntry(
        new Values(
            claim.id(),
            claim.epoch(),
            claim.claimant(),
            claim.quantity(),
            claim.requestId(),
            ClaimState.HELD));
  }

  /**
   * Sets the sale in which the units were claimed. An order of another epoch than that of the
   * present sale is a conflict.
   *
   * @param epoch as {@link Claim#epoch} has it, 1 to 2^53 - 1
   * @return a changed entry
   */
  public LedgerEntry epoch(long epoch) {
    Values v = values;
    return new LedgerEntry(
        new Values(v.claimId, epoch, v.claimant, v.quantity, v.requestId, v.state));
  }

  /**
   * Sets the buyer.
   *
   * @param claimant the claimant of the claim, 1 to 512 bytes of UTF-8
   * @return a changed entry
   */
  public LedgerEntry claimant(String claimant) {
    Values v = values;
    return new LedgerEntry(
        new Values(v.claimId, v.epoch, claimant, v.quantity, v.requestId, v.state));
  }

  /**
   * Sets the number of units.
   *
   * @param quantity units, 1 to {@link Inventory#MAX_QUANTITY}
   * @return a changed entry
   */
  public LedgerEntry quantity(int quantity) {
    Values v = values;
    return new LedgerEntry(
        new Values(v.claimId, v.epoch, v.claimant, quantity, v.requestId, v.state));
  }

  /**
   * Sets the request that was accepted.
   *
   * @param requestId as given to {@link Inventory#claim}, 1 to 128 bytes of UTF-8
   * @return a changed entry
   */
  public LedgerEntry requestId(String requestId) {
    Values v = values;
    return new LedgerEntry(
        new Values(v.claimId, v.epoch, v.claimant, v.quantity, requestId, v.state));
  }

  /**
   * Sets the state of the order.
   *
   * @param state {@link ClaimState#HELD} while unpaid, {@link ClaimState#CONFIRMED}, or {@link
   *     ClaimState#CANCELLED}
   * @return a changed entry
   * @throws IllegalArgumentException if it is another state
   */
  public LedgerEntry state(ClaimState state) {
    Values v = values;
    return new LedgerEntry(
        new Values(v.claimId, v.epoch, v.claimant, v.quantity, v.requestId, state));
  }

  /** {@return the claim from which the order came} */
  public long claimId() {
    return values.claimId;
  }

  /** {@return the sale in which the units were claimed; 0 if not set} */
  public long epoch() {
    return values.epoch;
  }

  /** {@return the buyer; empty if not set} */
  public String claimant() {
    return values.claimant;
  }

  /** {@return the number of units; 0 if not set} */
  public int quantity() {
    return values.quantity;
  }

  /** {@return the request that was accepted; empty if not set} */
  public String requestId() {
    return values.requestId;
  }

  /** {@return the state of the order} */
  public ClaimState state() {
    return values.state;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LedgerEntry entry && values.equals(entry.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "LedgerEntry");
  }
}
