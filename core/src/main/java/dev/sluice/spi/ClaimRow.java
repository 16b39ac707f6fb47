package dev.sluice.spi;

import dev.sluice.inventory.ClaimState;

/**
 * A stored claim.
 *
 * @param epoch the sale
 * @param id of the claim
 * @param claimant whose
 * @param quantity units
 * @param requestId the request that was accepted
 * @param state what has become of it
 * @param at when it was accepted, by the store's clock, microseconds since the epoch
 * @param deliveries how often a drain was given it
 * @since 0.1
 */
public record ClaimRow(
    long epoch,
    long id,
    String claimant,
    int quantity,
    String requestId,
    ClaimState state,
    long at,
    int deliveries) {}
