package dev.sluice.inventory;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The terms of one sale of a stock. An immutable value: {@link #epoch(long)} begins one, and each
 * further method returns a changed copy. Every term is checked when it is made: a value out of its
 * range throws {@link IllegalArgumentException}.
 *
 * <pre>{@code
 * Sale friday =
 *     Sale.epoch(7) // grows with every sale of this stock
 *         .total(1_000)
 *         .hold(Duration.ofMinutes(15)); // an order that is not paid by then gives its units back
 * sluice.inventory("sneakers").open(friday);
 * }</pre>
 *
 * @since 0.1
 */
public final class Sale {

  /** The highest epoch and the highest total: 2^53 - 1. */
  public static final long MAX = (1L << 53) - 1;

  /** The longest hold: 365 days. */
  public static final Duration MAX_HOLD = Duration.ofDays(365);

  /** A time that never comes: the end of the year 9999. */
  public static final Instant NEVER = Instant.parse("9999-12-31T23:59:59Z");

  private static final Duration MIN_HOLD = Duration.ofMillis(1);

  private final Values values;

  private Sale(Values values) {
    this.values = values;
  }

  private record Values(
      long epoch, long total, Duration hold, boolean drained, Instant opensAt, Instant closesAt) {

    Values {
      between("epoch", epoch, 1);
      between("total", total, 0);
      requireNonNull(hold, "hold must not be null");
      if (!hold.isZero() && (hold.compareTo(MIN_HOLD) < 0 || hold.compareTo(MAX_HOLD) > 0)) {
        throw new IllegalArgumentException("hold must be zero, or 1 ms to 365 days: " + hold);
      }
      within("opensAt", requireNonNull(opensAt, "opensAt must not be null"));
      within("closesAt", requireNonNull(closesAt, "closesAt must not be null"));
      if (!closesAt.isAfter(opensAt)) {
        throw new IllegalArgumentException(
            "closesAt must be after opensAt: " + closesAt + " is not after " + opensAt);
      }
    }
  }

  /**
   * A sale without units, open until it is closed, whose claims are final immediately, without a
   * queue.
   *
   * @param epoch which sale of this stock: 1 to 2^53 - 1; a later sale has a higher one
   * @return the terms
   */
  public static Sale epoch(long epoch) {
    return new Sale(new Values(epoch, 0, Duration.ZERO, false, Instant.EPOCH, NEVER));
  }

  /**
   * Sets the number of units.
   *
   * @param total units, 0 to 2^53 - 1
   * @return changed terms
   */
  public Sale total(long total) {
    Values v = values;
    return new Sale(new Values(v.epoch, total, v.hold, v.drained, v.opensAt, v.closesAt));
  }

  /**
   * Makes claims wait for a confirmation. In a drained sale the hold begins when the claim was
   * drained.
   *
   * @param hold how long a claim waits before its units are returned, 1 ms to 365 days; zero: a
   *     claim is final as soon as it is accepted or, where the sale is drained, durable
   * @return changed terms
   */
  public Sale hold(Duration hold) {
    Values v = values;
    return new Sale(new Values(v.epoch, v.total, hold, v.drained, v.opensAt, v.closesAt));
  }

  /**
   * Also adds each accepted claim to a durable queue, for {@link Inventory#drain}.
   *
   * @return changed terms
   */
  public Sale drained() {
    Values v = values;
    return new Sale(new Values(v.epoch, v.total, v.hold, true, v.opensAt, v.closesAt));
  }

  /**
   * Accepts claims only within a time window, by the store's clock.
   *
   * @param opensAt the first moment
   * @param closesAt the first moment after it
   * @return changed terms
   */
  public Sale between(Instant opensAt, Instant closesAt) {
    Values v = values;
    return new Sale(new Values(v.epoch, v.total, v.hold, v.drained, opensAt, closesAt));
  }

  /** {@return the number of this sale of the stock} */
  public long epoch() {
    return values.epoch;
  }

  /** {@return units} */
  public long total() {
    return values.total;
  }

  /** {@return the time within which a claim must be confirmed; zero if it is final} */
  public Duration hold() {
    return values.hold;
  }

  /** {@return whether accepted claims enter a durable queue} */
  public boolean isDrained() {
    return values.drained;
  }

  /** {@return the time before which claims are refused; {@link Instant#EPOCH} for none} */
  public Instant opensAt() {
    return values.opensAt;
  }

  /** {@return the time from which claims are refused; {@link #NEVER} for none} */
  public Instant closesAt() {
    return values.closesAt;
  }

  private static void between(String what, long value, long least) {
    if (value < least || value > MAX) {
      throw new IllegalArgumentException(what + " must be " + least + " to 2^53 - 1: " + value);
    }
  }

  private static void within(String what, Instant moment) {
    if (moment.isBefore(Instant.EPOCH) || moment.isAfter(NEVER)) {
      throw new IllegalArgumentException(what + " must be in the years 1970 to 9999: " + moment);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Sale sale && values.equals(sale.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "Sale");
  }
}
