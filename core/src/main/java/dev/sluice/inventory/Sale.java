package dev.sluice.inventory;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;

/**
 * The terms of one sale of a stock.
 *
 * @param epoch which sale of this stock: 1 to 2^53 - 1; a later sale has a higher one
 * @param total units, 0 to 2^53 - 1
 * @param hold how long a claim waits to be confirmed before its units are returned, 1 ms to 365
 *     days; zero: a claim is final as soon as it is accepted or, where the sale is drained, durable
 * @param drained whether each accepted claim also enters a durable queue, for {@link
 *     Inventory#drain}; its hold begins only when it was drained
 * @param opensAt claims before that moment of the store's clock are refused; {@link Instant#EPOCH}:
 *     open at once
 * @param closesAt claims from that moment on are refused; {@link #NEVER}: only by {@link
 *     Inventory#close}
 */
public record Sale(
    long epoch, long total, Duration hold, boolean drained, Instant opensAt, Instant closesAt) {

  /** The highest epoch and the highest total: 2^53 - 1. */
  public static final long MAX = (1L << 53) - 1;

  /** The longest hold: 365 days. */
  public static final Duration MAX_HOLD = Duration.ofDays(365);

  /** A moment that does not come: the end of the year 9999. */
  public static final Instant NEVER = Instant.parse("9999-12-31T23:59:59Z");

  private static final Duration MIN_HOLD = Duration.ofMillis(1);

  /** Checks the terms. */
  public Sale {
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

  /**
   * A sale that is open until it is closed, whose claims are final at once, without a queue.
   *
   * @param epoch which sale of this stock
   * @param total units
   * @return the terms
   */
  public static Sale of(long epoch, long total) {
    return new Sale(epoch, total, Duration.ZERO, false, Instant.EPOCH, NEVER);
  }

  /**
   * The same with claims that have to be confirmed.
   *
   * @param hold how long a claim waits for that; zero: they are final
   * @return the terms
   */
  public Sale withHold(Duration hold) {
    return new Sale(epoch, total, hold, drained, opensAt, closesAt);
  }

  /** {@return the same with a durable queue of accepted claims} */
  public Sale withDrain() {
    return new Sale(epoch, total, hold, true, opensAt, closesAt);
  }

  /**
   * The same within a window of the store's clock.
   *
   * @param opensAt the first moment
   * @param closesAt the first moment after it
   * @return the terms
   */
  public Sale between(Instant opensAt, Instant closesAt) {
    return new Sale(epoch, total, hold, drained, opensAt, closesAt);
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
}
