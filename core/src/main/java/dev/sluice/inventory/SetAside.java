package dev.sluice.inventory;

/**
 * A claim that a drain set aside.
 *
 * @param claim it
 * @param reason why, in the drain's words
 * @since 0.1
 */
public record SetAside(Claim claim, String reason) {}
