package dev.sluice.inventory;

import java.util.List;
import java.util.Optional;

/**
 * Limited stock of one thing, which several processes sell. Claims never take more units than there
 * are, each claimant has at most one live claim in a sale, and the same request gets the same claim
 * however often it is sent, by any process.
 *
 * <p>Each verb is one atomic step at the store, decided by the store's clock. Claims of several
 * threads share requests. A process that got "sold out" repeats that answer without a request for a
 * moment; see {@link InventoryOptions#soldOutMemo}.
 *
 * <p>The store decides claims. A ledger (usually a database) makes them durable. A store may lose
 * its last writes when it fails. So confirm a purchase to your customer only after the claim was
 * drained into the ledger, let the ledger refuse more orders than there are units, and call {@link
 * #reconcile} after the store has come back.
 *
 * <p>Safe for use by many threads; instances of one name are interchangeable. A verb blocks until
 * the store answers, at most for {@link InventoryOptions#timeout}; an interruption does not end it,
 * and the thread stays interrupted. It throws {@link dev.sluice.OutcomeUnknownException} if no
 * answer came in that time, and {@link dev.sluice.BackendException} if nothing was done.
 *
 * <pre>{@code
 * Inventory sneakers = sluice.inventory("sneakers");
 * sneakers.open(Sale.epoch(1).total(1_000).hold(Duration.ofMinutes(15)));
 * ClaimResult answer = sneakers.claim("ann", 2, "request-1");
 * if (answer.isClaimed()) {
 *   sneakers.confirm("ann", answer.claimId()); // once it is paid
 * }
 * }</pre>
 *
 * @since 0.1
 */
public interface Inventory {

  /** The most units in one claim: 1,000,000. */
  int MAX_QUANTITY = 1_000_000;

  /** {@return the name that processes share} */
  String name();

  /**
   * Loads stock and starts a sale. Safe to call by every instance at every start: the terms of an
   * epoch that is known already change nothing, nor do they reopen it. A new epoch begins with no
   * claims.
   *
   * @param sale the terms
   * @return the figures afterwards
   * @throws IllegalStateException if the epoch is known with other terms, if a later one is known,
   *     or if an earlier one is still open or has claims that are neither final nor returned
   */
  InventoryInfo open(Sale sale);

  /**
   * Ends a sale; the store refuses later claims. Claims that were accepted go on.
   *
   * @param epoch which
   * @return the figures afterwards; those of another epoch, if that is the present one, which goes
   *     on
   */
  InventoryInfo close(long epoch);

  /**
   * Changes the number of units of a sale to {@link Sale#total()}. If more units are claimed
   * already, none is left until that many came back. The other terms of the sale do not change;
   * those of {@code sale} are not read.
   *
   * @param sale the present epoch, with its new total
   * @return the figures afterwards
   * @throws IllegalStateException if it is not the present epoch
   */
  InventoryInfo resize(Sale sale);

  /**
   * Claims units. One round trip at most.
   *
   * @param claimant who asks, 1 to 512 bytes of UTF-8
   * @param quantity units, 1 to {@link #MAX_QUANTITY}; all or none
   * @param requestId names this request, 1 to 128 bytes of UTF-8: the same when it is sent again, a
   *     new one to claim again after an earlier claim was given up
   * @return what was decided
   * @throws IllegalArgumentException if an argument breaks its rule
   */
  ClaimResult claim(String claimant, int quantity, String requestId);

  /**
   * Makes a held claim final, so that its units are never returned. Call it before the final
   * charge. Either this confirmation or the return of the unconfirmed claim wins, never both.
   *
   * @param claimant whose
   * @param claimId the claim
   * @return what has become of it: {@link ClaimState#CONFIRMED}, also when it was so before;
   *     anything else: not confirmed
   */
  ClaimState confirm(String claimant, long claimId);

  /**
   * Cancels a claim; its units are returned once, however often this is called. A claim that is
   * with a drain at this moment stays {@link ClaimState#QUEUED}: call again later.
   *
   * @param claimant whose
   * @param claimId the claim
   * @return what has become of it: {@link ClaimState#CANCELLED} or {@link ClaimState#RETURNED},
   *     also when it was so before; anything else: not given up
   */
  ClaimState cancel(String claimant, long claimId);

  /**
   * Returns the last claim of a claimant in the present sale.
   *
   * @param claimant whose
   * @return the claim, or empty
   */
  Optional<Claim> find(String claimant);

  /**
   * Reads from the store how many units are left, claimed and sold. One round trip; changes
   * nothing.
   *
   * @return what the store knows; epoch 0 if it knows no such stock
   */
  InventoryInfo info();

  /**
   * Starts a consumer of accepted claims on a new thread. It runs until it or this client is
   * closed. The handler gets each claim at least once.
   *
   * @param options how
   * @param handler writes them
   * @return the consumer
   */
  ClaimConsumer drain(DrainOptions options, DrainHandler handler);

  /**
   * Lists the dead letters: claims that consumers could not write.
   *
   * @param limit most to return, 1 to 10,000
   * @return claims, the oldest first
   */
  List<DeadLetter> deadLetters(int limit);

  /**
   * Requeues a dead letter. To return its units instead, {@link #cancel} it.
   *
   * @param claimant whose
   * @param claimId the claim
   * @return what has become of it
   */
  ClaimState requeue(String claimant, long claimId);

  /**
   * Repairs the store from the ledger during the sale: takes the units of orders that the store has
   * lost, settles claims as in the ledger, and requeues claims that were drained but have no order.
   * Confirmed claims without an order in a sale with a hold are conflicts. Idempotent. Run it after
   * the store may have lost writes, and now and then.
   *
   * @param ledger all orders of the present sale, including cancelled ones, read after this call
   *     began, each once, in any order; one of another epoch is a conflict, and changes nothing
   * @return what was found and repaired
   * @throws IllegalArgumentException if an order breaks a rule of {@link #claim}, or its claim's id
   *     is not 1 to 2^53 - 1; what came before it was taken over
   * @throws IllegalStateException if no sale is loaded: open it first
   */
  Reconciliation reconcile(Iterable<LedgerEntry> ledger);

  /**
   * Repairs the store from the ledger for one order, as {@link #reconcile} does for all. Call it if
   * the two contradict because the store has lost a write, instead of waiting for the next
   * reconciliation. Idempotent.
   *
   * @param order as the ledger has it now
   * @return whether the store has changed; false if the order is of another epoch
   * @throws IllegalArgumentException as {@link #reconcile}
   * @throws IllegalStateException if no sale is loaded
   */
  boolean restore(LedgerEntry order);

  /** {@return an asynchronous view of this stock} */
  AsyncInventory async();
}
