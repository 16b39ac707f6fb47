package dev.sluice.flashsale.desk;

import java.util.Locale;

/** An answer to a buyer, and the claim it is about; 0 if about none. */
public record BuyerReply(What what, long claimId) {

  /** Answers. */
  public enum What {
    /** Admitted, and not yet durable: nothing is promised. */
    QUEUED,
    /** The order is a durable row. */
    ORDERED,
    /** The order is paid, and final. */
    PAID,
    /** The order was given up, or not paid in time. */
    CANCELLED,
    /** The database refused the claim: it never was an order. */
    REJECTED,
    /** Nothing is left, for now. */
    SOLD_OUT,
    /** The sale has not begun, or is over. */
    CLOSED,
    /** The token is not this buyer's, or too old. */
    NO_TOKEN,
    /** Too many requests; come back later. */
    LIMITED,
    /** There is no order and no claim. */
    NOTHING;

    /** {@return the word on the wire} */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** {@return an answer about no claim} */
  static BuyerReply of(What what) {
    return new BuyerReply(what, 0);
  }
}
