package dev.sluice.flashsale.desk;

import java.time.Instant;

/**
 * What became of one admission: a row of the database.
 *
 * @param claimId the claim, and the key
 * @param buyer whose
 * @param request the request that was accepted
 * @param quantity units
 * @param state of the order
 * @param reason why it was rejected, or empty
 * @param writtenAt when, by the database's clock
 */
public record Order(
    long claimId,
    String buyer,
    String request,
    int quantity,
    State state,
    String reason,
    Instant writtenAt) {

  /** States of an order. */
  public enum State {
    /** Durable, and not yet paid. */
    PENDING,
    /** Final. */
    PAID,
    /** Given up, or not paid in time; its units are back. */
    CANCELLED,
    /** Never was an order: the database refused the claim. */
    REJECTED;

    /** {@return whether an order in this state has units} */
    public boolean isLive() {
      return this == PENDING || this == PAID;
    }
  }
}
