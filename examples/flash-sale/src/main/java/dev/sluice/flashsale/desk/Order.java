package dev.sluice.flashsale.desk;

/** One order: a row of the database, whose key is the claim. */
public record Order(
    long claimId, String buyer, String request, int quantity, State state, String reason) {

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
