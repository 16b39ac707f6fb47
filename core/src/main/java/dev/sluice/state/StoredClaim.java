package dev.sluice.state;

import dev.sluice.inventory.ClaimState;
import dev.sluice.spi.ClaimRow;

/**
 * A claim with all its stored fields.
 *
 * @param row what callers get
 * @param dueAt when its hold is over, microseconds since the epoch; 0 unless it is held
 * @param consumer the consumer that has it; empty: none since it was queued
 * @param takenAt when that was, microseconds since the epoch; 0 if no consumer has it
 * @param reason the reason of a dead letter; empty otherwise
 */
public record StoredClaim(ClaimRow row, long dueAt, String consumer, long takenAt, String reason) {

  /**
   * The state that callers get at a time. A claim whose hold has expired is returned, even if the
   * store has not written that yet.
   *
   * @param now the store's clock, microseconds since the epoch
   * @return the claim
   */
  public ClaimRow at(long now) {
    return isDue(now) ? row(ClaimState.RETURNED, row.deliveries()) : row;
  }

  boolean isDue(long now) {
    return row.state() == ClaimState.HELD && dueAt <= now;
  }

  boolean isWithConsumer() {
    return row.state() == ClaimState.QUEUED && !consumer.isEmpty();
  }

  /** Returns the claim in another state, without a consumer. */
  StoredClaim in(ClaimState state, long dueAt, String reason) {
    return new StoredClaim(row(state, row.deliveries()), dueAt, "", 0, reason);
  }

  StoredClaim givenTo(String consumer, long now) {
    return new StoredClaim(
        row(ClaimState.QUEUED, row.deliveries() + 1), 0, consumer, Math.max(1, now), "");
  }

  private ClaimRow row(ClaimState state, int deliveries) {
    return new ClaimRow(
        row.epoch(),
        row.id(),
        row.claimant(),
        row.quantity(),
        row.requestId(),
        state,
        row.at(),
        deliveries);
  }
}
