package dev.sluice.internal.inventory;

import dev.sluice.inventory.Claim;
import dev.sluice.inventory.Inventory;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimRow;
import dev.sluice.text.Names;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Converts claims between their public and stored forms. */
final class ClaimFormats {
  private static final int MAX_CLAIMANT_BYTES = 512;
  private static final int MAX_REQUEST_BYTES = 128;

  private ClaimFormats() {}

  static void checkClaim(String claimant, int quantity, String requestId) {
    checkClaimant(claimant);
    if (quantity < 1 || quantity > Inventory.MAX_QUANTITY) {
      throw new IllegalArgumentException("quantity must be 1 to 1,000,000: " + quantity);
    }
    Names.check("requestId", requestId, MAX_REQUEST_BYTES);
  }

  static void checkClaimant(String claimant) {
    Names.check("claimant", claimant, MAX_CLAIMANT_BYTES);
  }

  static ClaimMark mark(String claimant, long claimId) {
    checkClaimant(claimant);
    if (claimId < 1) {
      throw new IllegalArgumentException("claimId must be at least 1: " + claimId);
    }
    return new ClaimMark(claimant, claimId);
  }

  /** A claim as callers see it. */
  static Claim claim(ClaimRow row) {
    return new Claim(
        row.epoch(),
        row.id(),
        row.claimant(),
        row.quantity(),
        row.requestId(),
        row.state(),
        Instant.EPOCH.plus(row.at(), ChronoUnit.MICROS),
        row.deliveries());
  }
}
