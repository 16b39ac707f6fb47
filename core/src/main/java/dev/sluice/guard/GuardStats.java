package dev.sluice.guard;

/**
 * Counters of a guard's decisions in this process since it was created. Numbers are read one by
 * one, not in one moment.
 *
 * @param admitted accesses that were admitted
 * @param refused accesses that were refused with a {@link StaleTokenException}
 * @since 0.1
 */
public record GuardStats(long admitted, long refused) {}
