package dev.sluice.inventory;

/**
 * Writes accepted claims to a ledger.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface DrainHandler {

  /**
   * Makes the claims of a batch durable: in one transaction, idempotent by the claim's id. When it
   * returns, they count as written, apart from those that it rejected or made dead letters. When it
   * throws, none does, and all are given again: one by one, so that one that cannot be written does
   * not hold up the others.
   *
   * @param batch what to write
   * @throws Exception if they could not be written
   */
  void write(DrainBatch batch) throws Exception;
}
