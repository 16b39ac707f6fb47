package dev.sluice.verification.crash;

import dev.sluice.flashsale.desk.Order;
import dev.sluice.flashsale.desk.OrderBook;
import dev.sluice.inventory.InventoryInfo;
import java.util.List;

/**
 * All that is known about one sale after it has come to rest. Buyers came until the end.
 *
 * @param total units that were on offer
 * @param answers the buyers' own log
 * @param losses when the store lost writes
 * @param orders every row of the ledger
 * @param count what the database counts
 * @param figures what the store counts
 * @param requeued claims that the store took for durable and that had no row
 * @param waiting claims that were never drained
 * @param unsold where units were when the patience of buyers had ended; empty if they got all
 * @param seen what was seen to be wrong while the sale went on
 */
record Evidence(
    long total,
    List<Answer> answers,
    List<Loss> losses,
    List<Order> orders,
    OrderBook.Count count,
    InventoryInfo figures,
    long requeued,
    long waiting,
    String unsold,
    List<String> seen) {

  /**
   * The store came back without what was written in between.
   *
   * @param fromNanos the first moment that may be lost
   * @param toNanos the last one
   */
  record Loss(long fromNanos, long toNanos) {
    private static final long SLACK_NANOS = 100_000_000;

    /** {@return whether something that happened between two moments may be lost} */
    boolean touches(long begin, long end) {
      return begin <= toNanos + SLACK_NANOS && end >= fromNanos - SLACK_NANOS;
    }
  }
}
