package dev.sluice.inventory;

/**
 * A claim that a drain set aside.
 *
 * @param claim it
 * @param reason why, in the drain's words
 */
public record SetAside(Claim claim, String reason) {}
