package dev.sluice.flashsale.desk;

import static java.util.Objects.requireNonNull;

import dev.sluice.inventory.Sale;
import java.time.Duration;

/** The terms of one sale; an order waits for at least a second to be paid. */
public record Terms(String sale, long total, Duration hold) {
  /** The present one of a stock whose sales all have different names. */
  static final long EPOCH = 1;

  /** Checks the terms. */
  public Terms {
    requireNonNull(sale, "sale must not be null");
    if (hold.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("hold must be at least 1 s: " + hold);
    }
  }

  /**
   * The store waits longer than the database, which gives up the order first, as a rule; so a unit
   * is not claimed again while its old order still has it.
   */
  Sale forStore() {
    return Sale.epoch(EPOCH).total(total).hold(hold.multipliedBy(3)).drained();
  }
}
