package dev.sluice.limit;

/**
 * Counts of the calls of one limiter in this process that settled or refunded a {@linkplain Usage
 * use}. Each call counts in one of the first six.
 *
 * @param settled settlements that counted
 * @param refunded refunds of uses that counted
 * @param repeated calls for a use that was settled or refunded before
 * @param late calls after {@link RateLimiterOptions#settleWithin()}; the estimate stands
 * @param notHeld calls for a use that the outage policy had let begin
 * @param failed calls that threw because the store did not answer, or could not settle; a later
 *     call may return {@link Settlement#REPEATED}
 * @param overestimated permits by which the estimates exceeded the costs, of settlements and
 *     refunds that counted. At most as many came back: in a bucket, fewer
 * @param underestimated permits by which the costs exceeded the estimates, of settlements that
 *     counted. At most as many were spent: cost beyond the largest debt is not
 * @since 0.1
 */
public record SettlementStats(
    long settled,
    long refunded,
    long repeated,
    long late,
    long notHeld,
    long failed,
    long overestimated,
    long underestimated) {}
