package dev.sluice.inventory;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a stock in this process. An immutable value: each method returns a changed copy.
 * Every setting is checked when it is made: a value out of its range throws {@link
 * IllegalArgumentException}.
 *
 * @since 0.1
 */
public final class InventoryOptions {
  private static final InventoryOptions DEFAULTS =
      new InventoryOptions(new Values(Duration.ofSeconds(5), Duration.ofMillis(100)));

  private final Values values;

  private InventoryOptions(Values values) {
    this.values = values;
  }

  private record Values(Duration timeout, Duration soldOutMemo) {
    Values {
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
  }

  /** {@return the defaults: a timeout of 5 s, and a memo of 100 ms} */
  public static InventoryOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets the timeout of a call.
   *
   * @param timeout 10 ms to 1 minute (default: 5 s)
   * @return changed options
   */
  public InventoryOptions timeout(Duration timeout) {
    return new InventoryOptions(new Values(timeout, values.soldOutMemo));
  }

  /**
   * Sets the time for which "sold out" is answered from memory before one request reads the store
   * again. While that request is under way the other callers are answered from memory, for as long
   * again at most. A claimant whose claim was accepted before this process learnt that the stock is
   * sold out is always looked up in the store. A claimant that another process has served since
   * then may get "sold out" for a retry here until the store is asked again.
   *
   * @param soldOutMemo zero (never) to 10 s (default: 100 ms)
   * @return changed options
   */
  public InventoryOptions soldOutMemo(Duration soldOutMemo) {
    return new InventoryOptions(new Values(values.timeout, soldOutMemo));
  }

  /** {@return the timeout of a call} */
  public Duration timeout() {
    return values.timeout;
  }

  /** {@return the time for which "sold out" is answered from memory} */
  public Duration soldOutMemo() {
    return values.soldOutMemo;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof InventoryOptions options && values.equals(options.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "InventoryOptions");
  }
}
