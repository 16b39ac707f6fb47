package dev.sluice.inventory;

import java.time.Instant;

/**
 * Units of a stock that one claimant holds.
 *
 * @param epoch the sale
 * @param id names the claim among all of this stock, in every epoch: grows, and is never given
 *     twice even by a store that lost its last writes. At least 1
 * @param claimant whose it is: one live claim each
 * @param quantity units
 * @param requestId the request that was accepted
 * @param state what has become of it
 * @param at when it was accepted, by the store's clock
 * @param deliveries how often a drain has been given it
 * @since 0.1
 */
public record Claim(
    long epoch,
    long id,
    String claimant,
    int quantity,
    String requestId,
    ClaimState state,
    Instant at,
    int deliveries) {}
