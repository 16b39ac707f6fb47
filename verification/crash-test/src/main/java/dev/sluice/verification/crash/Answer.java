package dev.sluice.verification.crash;

import dev.sluice.flashsale.desk.BuyerReply;
import org.jspecify.annotations.Nullable;

/**
 * A line of the buyers' own log.
 *
 * @param sentNanos when it was asked
 * @param heardNanos when the answer came, or its absence was accepted
 * @param verb what was asked
 * @param buyer by whom
 * @param request names the claim, for {@link Verb#CLAIM}; otherwise empty
 * @param claimId which claim was to be paid or cancelled; otherwise 0
 * @param told the answer, or null: there was none, and the outcome is unknown
 */
record Answer(
    long sentNanos,
    long heardNanos,
    Verb verb,
    String buyer,
    String request,
    long claimId,
    @Nullable BuyerReply told) {

  enum Verb {
    CLAIM,
    STATUS,
    PAY,
    CANCEL
  }
}
