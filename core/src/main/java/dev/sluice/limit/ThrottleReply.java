package dev.sluice.limit;

/**
 * The five values of redis-cell's {@code CL.THROTTLE}, in its order.
 *
 * @param limited 0 allowed, 1 refused
 * @param limit {@code max_burst + 1}
 * @param remaining units that would pass right now, 0 to {@code limit}
 * @param retryAfter seconds until the same quantity can pass, rounded up, at least 1; -1 if allowed
 *     or if it can never pass
 * @param resetAfter seconds until the bucket is full again, rounded up
 * @since 0.1
 */
public record ThrottleReply(
    int limited, long limit, long remaining, long retryAfter, long resetAfter) {}
