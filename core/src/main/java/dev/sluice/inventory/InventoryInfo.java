package dev.sluice.inventory;

import java.time.Duration;

/**
 * A snapshot of a stock. {@code left + queued + held + confirmed + deadLetters = total}; {@code
 * left} is below zero after {@link Inventory#resize} to less than was sold, or after {@link
 * Inventory#reconcile} found orders that the store had forgotten.
 *
 * @param epoch the sale; 0 if the store knows no such stock
 * @param open whether claims are accepted now, if units are left
 * @param total units of this sale
 * @param left units that may be claimed
 * @param queued units of claims that wait for a drain or are with one
 * @param held units of claims that wait to be confirmed
 * @param confirmed units that are final
 * @param deadLetters units of dead letters: claims that a consumer could not write
 * @param claims how many claims were accepted in this sale
 * @param returned how many of them gave their units back: cancelled, rejected or not confirmed
 * @param waiting how many claims wait for a drain or are with one
 * @param lag how long the oldest of these has waited; zero if there is none
 * @since 0.1
 */
public record InventoryInfo(
    long epoch,
    boolean open,
    long total,
    long left,
    long queued,
    long held,
    long confirmed,
    long deadLetters,
    long claims,
    long returned,
    long waiting,
    Duration lag) {}
