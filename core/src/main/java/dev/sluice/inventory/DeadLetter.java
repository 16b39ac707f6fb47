package dev.sluice.inventory;

/**
 * A claim that a consumer could not write, and that waits for an operator's decision.
 *
 * @param claim the claim
 * @param reason the reason that the consumer gave
 * @since 0.1
 */
public record DeadLetter(Claim claim, String reason) {}
