package dev.sluice.state;

import dev.sluice.inventory.InventoryInfo;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.SaleTerms;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The sums over the claims of one sale. Not thread-safe. */
final class SaleCounts {
  /** The number of claims that were accepted. */
  long claims;

  /** The number of them that are not live any more. */
  long returned;

  /** The number of queued claims. */
  long waiting;

  // units of claims by state
  long queued;
  long held;
  long confirmed;
  long deadLetters;

  /** Counts of a sale without claims. */
  SaleCounts() {}

  /** Counts that were stored. */
  SaleCounts(SaleHeader header) {
    claims = header.claims();
    returned = header.returned();
    waiting = header.waiting();
    queued = header.queued();
    held = header.held();
    confirmed = header.confirmed();
    deadLetters = header.deadLetters();
  }

  SaleHeader header(@Nullable SaleTerms terms, long total, boolean closed, long lastId) {
    return new SaleHeader(
        terms,
        total,
        closed,
        lastId,
        claims,
        returned,
        waiting,
        queued,
        held,
        confirmed,
        deadLetters);
  }

  /**
   * @param lag the age of the oldest queued claim
   */
  InventoryInfo info(long epoch, boolean open, long total, long left, Duration lag) {
    return new InventoryInfo(
        epoch,
        open,
        total,
        left,
        queued,
        held,
        confirmed,
        deadLetters,
        claims,
        returned,
        waiting,
        lag);
  }

  /** The units that live claims have. */
  long live() {
    return queued + held + confirmed + deadLetters;
  }

  /** Whether the state of a claim may still change. */
  boolean isAnyOpen() {
    return queued != 0 || held != 0 || deadLetters != 0;
  }

  /**
   * Counts a change of a claim.
   *
   * @param from the claim as it was; null: there was none, or it was not live
   * @param to the claim as it is
   */
  void change(@Nullable ClaimRow from, ClaimRow to) {
    if (from != null) {
      add(from, -1);
    }
    add(to, 1);
    boolean was = from != null && from.state().isLive();
    boolean is = to.state().isLive();
    if (was && !is) {
      returned++;
    } else if (from != null && !was && is) {
      returned--;
    }
  }

  private void add(ClaimRow row, int sign) {
    long units = (long) sign * row.quantity();
    switch (row.state()) {
      case QUEUED -> {
        queued += units;
        waiting += sign;
      }
      case HELD -> held += units;
      case CONFIRMED -> confirmed += units;
      case DEAD_LETTER -> deadLetters += units;
      case CANCELLED, RETURNED, UNKNOWN -> {}
    }
  }
}
