package dev.sluice.spi;

/**
 * One request for a lock.
 *
 * @param name the lock, as the caller gave it
 * @param client 128 random bits of the process, as text
 * @param attempt number of the attempt, growing within a client; a repeated request has the same
 * @param ttlMicros length of the lease, microseconds
 * @param block fencing tokens wanted, 1 to {@link LockProtocol#MAX_BLOCK}; fewer may be given
 * @param queue whether to wait in the queue when the lock is busy; each such request is also the
 *     ticket's heartbeat
 */
public record AcquireRequest(
    String name, String client, long attempt, long ttlMicros, int block, boolean queue) {}
