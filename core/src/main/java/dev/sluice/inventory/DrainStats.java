package dev.sluice.inventory;

/**
 * Counters of one consumer since its start.
 *
 * @param written claims that its handler wrote
 * @param refused claims that it rejected or made dead letters
 * @param failed calls of the handler that threw; their claims are written later, or become dead
 *     letters
 * @since 0.1
 */
public record DrainStats(long written, long refused, long failed) {}
