package dev.sluice.cache;

/**
 * Counters of a cache in this process since it was built. Numbers are read one by one, not in one
 * moment.
 *
 * @param nearHits reads answered by the near tier
 * @param hits reads answered by the store
 * @param misses reads for which neither had a fresh value
 * @param guarded misses that the Bloom filter answered
 * @param loads loads that returned, "absent" included
 * @param loadFailures loads that threw or timed out
 * @param loadNanos time in loads, in nanoseconds
 * @param fillsRefused loads whose value was not stored, since the lease was gone
 * @param stale reads answered by an expired value
 * @param fallbackLoads loads made because the store did not answer
 * @param fallbackRejections loads that the fallback limit refused
 * @param codecFailures stored values that could not be read
 * @param pendingInvalidations invalidations that the store has not confirmed yet
 * @since 0.1
 */
public record CacheStats(
    long nearHits,
    long hits,
    long misses,
    long guarded,
    long loads,
    long loadFailures,
    long loadNanos,
    long fillsRefused,
    long stale,
    long fallbackLoads,
    long fallbackRejections,
    long codecFailures,
    long pendingInvalidations) {}
