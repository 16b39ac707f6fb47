package dev.sluice.inventory;

import java.util.List;

/**
 * The claims of one batch of a drain, oldest first. Not safe for use by several threads.
 *
 * @since 0.1
 */
public interface DrainBatch {

  /**
   * {@return the claims; another consumer may have got and even written each of them before, and
   * the ledger recognises that by its id}
   */
  List<Claim> claims();

  /**
   * Rejects a claim: it does not become an order, and its units are returned once the handler has
   * returned.
   *
   * @param claim of this batch
   * @param reason for people, at most 200 characters are kept
   * @throws IllegalArgumentException if it is not of this batch
   */
  void reject(Claim claim, String reason);

  /**
   * Makes a claim a dead letter, once the handler has returned. It keeps its units until an
   * operator decides.
   *
   * @param claim of this batch
   * @param reason for people, at most 200 characters are kept
   * @throws IllegalArgumentException if it is not of this batch
   * @see Inventory#deadLetters
   */
  void deadLetter(Claim claim, String reason);
}
