package dev.sluice.lock;

/**
 * Counters of a lock in one client. Counted since its first use. If a client uses more than 10,000
 * names, it forgets idle ones, whose counters then restart at zero.
 *
 * @param turns leases that callers got
 * @param grants times that the store granted the lock; the other turns were handed on in the
 *     process
 * @param losses leases that ended without a release: expired, or not found at the store
 * @since 0.1
 */
public record LockStats(long turns, long grants, long losses) {}
