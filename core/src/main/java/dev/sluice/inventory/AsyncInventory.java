package dev.sluice.inventory;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous view of an {@link Inventory}: the same requests. Stages complete on Sluice's
 * callback executor, with the exceptions that the blocking form throws; a claim that this process
 * knows to be sold out completes immediately. Safe for use by many threads.
 *
 * @since 0.1
 */
public interface AsyncInventory {

  /**
   * Claims as {@link Inventory#claim}.
   *
   * @param claimant who asks
   * @param quantity units
   * @param requestId names this request
   * @return the answer; fails as {@link Inventory#claim} does
   */
  CompletionStage<ClaimResult> claim(String claimant, int quantity, String requestId);

  /**
   * Confirms as {@link Inventory#confirm}.
   *
   * @param claimant whose claim
   * @param claimId the claim
   * @return what has become of it
   */
  CompletionStage<ClaimState> confirm(String claimant, long claimId);

  /**
   * Cancels as {@link Inventory#cancel}.
   *
   * @param claimant whose claim
   * @param claimId the claim
   * @return what has become of it
   */
  CompletionStage<ClaimState> cancel(String claimant, long claimId);

  /**
   * Opens a sale as {@link Inventory#open}.
   *
   * @param sale the terms
   * @return the state of the stock afterwards
   */
  CompletionStage<InventoryInfo> open(Sale sale);

  /**
   * Closes the sale as {@link Inventory#close}.
   *
   * @param epoch which sale
   * @return the state of the stock afterwards
   */
  CompletionStage<InventoryInfo> close(long epoch);

  /**
   * Resizes as {@link Inventory#resize}.
   *
   * @param sale the present epoch, with its new total
   * @return the state of the stock afterwards
   */
  CompletionStage<InventoryInfo> resize(Sale sale);

  /**
   * Finds a claim as {@link Inventory#find}.
   *
   * @param claimant whose claim
   * @return the claim, or empty
   */
  CompletionStage<Optional<Claim>> find(String claimant);

  /**
   * Reads the stock as {@link Inventory#info}.
   *
   * @return what the store knows
   */
  CompletionStage<InventoryInfo> info();

  /**
   * Lists claims as {@link Inventory#deadLetters}.
   *
   * @param limit most to return, 1 to 10,000
   * @return claims, the oldest first
   */
  CompletionStage<List<DeadLetter>> deadLetters(int limit);

  /**
   * Requeues a claim as {@link Inventory#requeue}.
   *
   * @param claimant whose claim
   * @param claimId the claim
   * @return what has become of it
   */
  CompletionStage<ClaimState> requeue(String claimant, long claimId);

  /**
   * Reconciles as {@link Inventory#reconcile}. Reads the ledger on the callback executor.
   *
   * @param ledger the orders of the present sale
   * @return what was found and repaired
   */
  CompletionStage<Reconciliation> reconcile(Iterable<LedgerEntry> ledger);

  /**
   * Restores as {@link Inventory#restore}.
   *
   * @param order as the ledger has it now
   * @return whether the store has changed
   */
  CompletionStage<Boolean> restore(LedgerEntry order);
}
