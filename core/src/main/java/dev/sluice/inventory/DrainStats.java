package dev.sluice.inventory;

/**
 * Counters of one consumer since its start.
 *
 * @param written claims that its handler wrote
 * @param refused claims that it rejected or set aside
 * @param failed calls of the handler that threw; their claims are written later, or set aside
 * @since 0.1
 */
public record DrainStats(long written, long refused, long failed) {}
