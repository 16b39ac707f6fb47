package dev.sluice.inventory;

import java.util.List;

/**
 * Claims that a drain is to write, the oldest first. Not safe for use by several threads.
 *
 * @since 0.1
 */
public interface DrainBatch {

  /**
   * {@return the claims; each may have been given to another consumer before, which may even have
   * written it: the ledger recognises that by its id}
   */
  List<Claim> claims();

  /**
   * Decides that a claim must not become an order: its units go back once the handler has returned.
   *
   * @param claim of this batch
   * @param reason for people, at most 200 characters are kept
   * @throws IllegalArgumentException if it is not of this batch
   */
  void reject(Claim claim, String reason);

  /**
   * Sets a claim aside for an operator to decide on, once the handler has returned. It keeps its
   * units.
   *
   * @param claim of this batch
   * @param reason for people, at most 200 characters are kept
   * @throws IllegalArgumentException if it is not of this batch
   * @see Inventory#setAside
   */
  void setAside(Claim claim, String reason);
}
