package dev.sluice.limit;

/**
 * Counts of one limiter in this process.
 *
 * @param allowed calls that were allowed; looks do not count
 * @param refused calls that were refused
 * @param trips all round trips to the store
 * @param fromLease calls that were allowed from permits taken in advance
 * @param fromMemo calls that were refused because the store had said so before
 * @param fromFallback calls that the outage policy decided
 * @param clockSteps decisions that found the store's clock behind an earlier one
 * @param settlements calls that settled or refunded a use
 * @since 0.1
 */
public record RateLimiterStats(
    long allowed,
    long refused,
    long trips,
    long fromLease,
    long fromMemo,
    long fromFallback,
    long clockSteps,
    SettlementStats settlements) {}
