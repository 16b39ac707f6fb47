package dev.sluice.inventory;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * How this process uses a stock.
 *
 * @param timeout most time for a verb, 10 ms to 1 minute
 * @param soldOutMemo for how long "sold out" is answered from memory before one request asks the
 *     store again, zero (never) to 10 s; while that one is under way the others are answered from
 *     memory, for as long again at most. Claimants whose claim was accepted before this process
 *     learnt that the stock is sold out are always looked up in the store; of one who was served by
 *     another process since then, a retry here may be told "sold out" until it is asked again
 */
public record InventoryOptions(Duration timeout, Duration soldOutMemo) {

  /** Checks the options. */
  public InventoryOptions {
    requireNonNull(timeout, "timeout must not be null");
    requireNonNull(soldOutMemo, "soldOutMemo must not be null");
    if (timeout.compareTo(Duration.ofMillis(10)) < 0
        || timeout.compareTo(Duration.ofMinutes(1)) > 0) {
      throw new IllegalArgumentException("timeout must be 10 ms to 1 minute: " + timeout);
    }
    if (soldOutMemo.isNegative() || soldOutMemo.compareTo(Duration.ofSeconds(10)) > 0) {
      throw new IllegalArgumentException("soldOutMemo must be zero to 10 s: " + soldOutMemo);
    }
  }

  /** {@return 5 s for a verb, and a memo of 100 ms} */
  public static InventoryOptions defaults() {
    return new InventoryOptions(Duration.ofSeconds(5), Duration.ofMillis(100));
  }

  /**
   * The same with another time-out.
   *
   * @param timeout most time for a verb, 10 ms to 1 minute
   * @return the options
   */
  public InventoryOptions withTimeout(Duration timeout) {
    return new InventoryOptions(timeout, soldOutMemo);
  }

  /**
   * The same with another memo.
   *
   * @param soldOutMemo how long "sold out" is answered from memory, zero to 10 s
   * @return the options
   */
  public InventoryOptions withSoldOutMemo(Duration soldOutMemo) {
    return new InventoryOptions(timeout, soldOutMemo);
  }
}
