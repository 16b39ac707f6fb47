package dev.sluice.inventory;

import java.util.concurrent.CompletionStage;

/** Claims without blocking. Safe for use by many threads. */
public interface AsyncInventory {

  /**
   * As {@link Inventory#claim}.
   *
   * @param claimant who asks
   * @param quantity units
   * @param requestId names this request
   * @return the answer; fails as {@link Inventory#claim} does
   */
  CompletionStage<ClaimResult> claim(String claimant, int quantity, String requestId);

  /**
   * As {@link Inventory#confirm}.
   *
   * @param claimant whose claim
   * @param claimId the claim
   * @return what has become of it
   */
  CompletionStage<ClaimState> confirm(String claimant, long claimId);

  /**
   * As {@link Inventory#cancel}.
   *
   * @param claimant whose claim
   * @param claimId the claim
   * @return what has become of it
   */
  CompletionStage<ClaimState> cancel(String claimant, long claimId);
}
