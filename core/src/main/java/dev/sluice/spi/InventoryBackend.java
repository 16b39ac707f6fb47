package dev.sluice.spi;

import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.LedgerEntry;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The operations of limited stock: each is one atomic step at the store, decided by the store's
 * clock, as in {@code SaleState}. No call blocks; failures are those of {@link GrantBackend}.
 *
 * <p>A store keeps for each name the terms of one sale, the last claim of each claimant in it, and
 * the queue of those that wait for a drain. These rules hold in every store:
 *
 * <ul>
 *   <li>{@code left = total - units of live claims}. A claim leaves the live ones once: by {@link
 *       #cancel}, by a rejection, or because it was not confirmed in time.
 *   <li>An id is {@code max(last id + 1, the clock's microseconds)}, so that a store that lost its
 *       last writes gives none twice.
 *   <li>A claim is queued, then held, then final. In a sale that is not drained it is held
 *       immediately; in one without hold it is final where it would be held.
 *   <li>A claim whose hold is over is returned before anything else is decided about its claimant.
 *       Those of others are returned too: at least 16 of them in each step that would otherwise say
 *       that the stock is sold out, and as many as asked for in {@link #expire}.
 * </ul>
 *
 * @since 0.1
 */
public interface InventoryBackend {

  /** The most claims in one batch, and the most marks in one step: 1,000. */
  int MAX_BATCH = 1000;

  /**
   * Starts a sale. Not done if the present one has the same epoch and other terms, or is later; or
   * if it is earlier and not over (neither closed nor past the end of its window), or has claims
   * that are queued, held or dead letters. The terms of the present epoch change nothing: a sale
   * that was closed stays closed. A total that {@link #resize} changed is compared as it was in the
   * beginning.
   *
   * @param name the stock
   * @param terms of the sale
   * @return the present sale
   */
  CompletionStage<SaleReply> open(String name, SaleTerms terms);

  /**
   * Ends a sale. Not done if another epoch is the present one.
   *
   * @param name the stock
   * @param epoch which sale
   * @return the present sale
   */
  CompletionStage<SaleReply> close(String name, long epoch);

  /**
   * Changes the total. Not done if another epoch is the present one.
   *
   * @param name the stock
   * @param epoch which sale
   * @param total units
   * @return the present sale
   */
  CompletionStage<SaleReply> resize(String name, long epoch, long total);

  /**
   * Reads the counts, after returning up to 1,000 expired claims.
   *
   * @param name the stock
   * @return the present sale; done if there is one
   */
  CompletionStage<SaleReply> look(String name);

  /**
   * Claims units for several requests, in order. A claimant with a live claim, or whose last claim
   * came from the same request, has claimed already: also in a sale that is closed.
   *
   * @param name the stock
   * @param requests 1 to {@link #MAX_BATCH}
   * @return what was decided about each
   */
  CompletionStage<ClaimsReply> claim(String name, List<ClaimRequest> requests);

  /**
   * Makes a held claim final.
   *
   * @param name the stock
   * @param mark which claim
   * @return its state afterwards
   */
  CompletionStage<ClaimState> confirm(String name, ClaimMark mark);

  /**
   * Returns the units of a claim that is held, a dead letter, or queued and not with a consumer.
   *
   * @param name the stock
   * @param mark which claim
   * @return its state afterwards
   */
  CompletionStage<ClaimState> cancel(String name, ClaimMark mark);

  /**
   * Finds the last claim of a claimant.
   *
   * @param name the stock
   * @param claimant whose
   * @return the claim, or null
   */
  CompletionStage<@Nullable ClaimRow> find(String name, String claimant);

  /**
   * Returns the units of expired claims.
   *
   * @param name the stock
   * @param limit most claims, at most 1,000
   * @return how many were returned
   */
  CompletionStage<Integer> expire(String name, int limit);

  /**
   * Assigns queued claims to a consumer: first those that any consumer got and has not settled in
   * time, then new ones, oldest first.
   *
   * @param name the stock
   * @param consumer who asks
   * @param limit most claims, at most {@link #MAX_BATCH}
   * @param idleMicros after which time without an answer a claim is another's to take
   * @return the claims, with this delivery counted; those taken over from others among them
   */
  CompletionStage<List<ClaimRow>> take(String name, String consumer, int limit, long idleMicros);

  /**
   * Settles taken claims. Claims that are no longer queued are left alone. Any consumer may mark a
   * claim as written, also if it became a dead letter meanwhile. Only the consumer that was given
   * the claim last may reject it or set it aside.
   *
   * @param name the stock
   * @param consumer who took them
   * @param marks which claims, at most {@link #MAX_BATCH}
   * @param verdict the same for all
   * @param reason for people, kept with dead letters
   * @return how many were settled
   */
  CompletionStage<Integer> settle(
      String name, String consumer, List<ClaimMark> marks, Verdict verdict, String reason);

  /** The consumer's decision about a claim. */
  enum Verdict {
    /** The order is durable: held, or final if there is no hold. The hold begins now. */
    WRITTEN,
    /** The claim is rejected, and its units are returned. */
    REJECTED,
    /** An operator must decide. */
    DEAD_LETTER
  }

  /**
   * Lists dead letters.
   *
   * @param name the stock
   * @param limit most claims
   * @return the claims and why, the oldest first
   */
  CompletionStage<List<DeadLetterRow>> deadLetters(String name, int limit);

  /**
   * A dead letter.
   *
   * @param claim it
   * @param reason why
   */
  record DeadLetterRow(ClaimRow claim, String reason) {}

  /**
   * Requeues claims that are held, final or dead letters, because they had no order, or by an
   * operator's decision. In a sale that is not drained nothing is done, nor about final claims of
   * one with a hold: once written they would be held, and could be returned.
   *
   * @param name the stock
   * @param marks which claims, at most {@link #MAX_BATCH}
   * @return how many were queued
   */
  CompletionStage<Integer> requeue(String name, List<ClaimMark> marks);

  /**
   * Pages through the last claims of all claimants. Claims that are accepted, entered or queued
   * meanwhile may be missed, others are not; the order is the store's.
   *
   * @param name the stock
   * @param after {@link ClaimPage#next} of the page before; empty: the first page
   * @param limit about how many, at most 1,000
   * @return a page
   */
  CompletionStage<ClaimPage> page(String name, String after, int limit);

  /**
   * Restores claims from the ledger. No id is given again that an order has.
   *
   * <ul>
   *   <li>The claimant has no claim here, or one that is not live: the order is entered with its
   *       state, even if that makes what is left negative; a held one is held from now on, or final
   *       in a sale without hold. That claim may be a later one: made, and rejected by a drain,
   *       after the store had forgotten the one that has the order. A cancelled order is entered
   *       too, so that its request claims nothing again.
   *   <li>The same claim, still queued: nothing is done, it will be drained once more.
   *   <li>The same claim in another state: it takes the ledger's, if that is final or cancelled. A
   *       final claim here and a held order: nothing is done, the confirmation is on its way. A
   *       dead letter and a held order: it is held from now on. A returned claim and a cancelled
   *       order say the same. A cancelled or returned claim and a held order: a conflict. A
   *       cancelled or returned claim and a final order: it is entered again.
   *   <li>Another claim with a higher id, and a cancelled order: nothing is done, it is an old one.
   *   <li>Another claim that is live: a conflict.
   * </ul>
   *
   * @param name the stock
   * @param epoch which sale; another than the present one: nothing is done, all are conflicts
   * @param orders at most {@link #MAX_BATCH}
   * @return what was done
   */
  CompletionStage<RestoreReply> restore(String name, long epoch, List<LedgerEntry> orders);

  /**
   * The result of {@link #restore}.
   *
   * @param restored orders whose units were taken again
   * @param settled claims that changed their state otherwise, and cancelled orders that were
   *     entered
   * @param conflicts what the store has instead, for each order that could not be taken over; where
   *     it has nothing, a row of the claimant with id 0 and {@link ClaimState#UNKNOWN}
   */
  record RestoreReply(int restored, int settled, List<ClaimRow> conflicts) {}

  /**
   * Lists the names of loaded stocks.
   *
   * @param limit most names to return, at least 1
   * @return names, in no order
   */
  CompletionStage<List<String>> names(int limit);
}
