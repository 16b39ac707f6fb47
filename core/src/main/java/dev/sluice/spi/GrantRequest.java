package dev.sluice.spi;

import dev.sluice.lock.PermitInfo;

/**
 * One request for units of a name: for the one unit of a lock, permits of a semaphore, or a share
 * of a read-write lock.
 *
 * @param name the name, as the caller gave it
 * @param client 128 random bits of the process, as text
 * @param attempt number of the attempt, growing within a client; a repeated request has the same
 * @param ttlMicros length of the lease, microseconds
 * @param capacity how many units the name has: 1 of a lock, 1 to {@link LockProtocol#MAX_PERMITS}
 *     or {@link PermitInfo#READ_WRITE_UNITS}; the first request settles it, another number is
 *     refused
 * @param least units without which the grant is of no use, 1 to {@code capacity}
 * @param most units that are welcome if the queue is empty, {@code least} to {@code capacity}
 * @param first whether the ticket goes before all that are not {@code first}: a preferred writer
 * @param block fencing tokens wanted, 1 to {@link LockProtocol#MAX_BLOCK}; fewer may be given
 * @param queue whether to wait in the queue when there are not enough units; each such request is
 *     also the ticket's heartbeat
 * @since 0.1
 */
public record GrantRequest(
    String name,
    String client,
    long attempt,
    long ttlMicros,
    int capacity,
    int least,
    int most,
    boolean first,
    int block,
    boolean queue)
    implements GrantAttempt {

  /**
   * A request for a lock.
   *
   * @param name the lock
   * @param client the process
   * @param attempt number of the attempt
   * @param ttlMicros length of the lease, microseconds
   * @param block fencing tokens wanted
   * @param queue whether to wait in the queue when the lock is busy
   */
  public GrantRequest(
      String name, String client, long attempt, long ttlMicros, int block, boolean queue) {
    this(name, client, attempt, ttlMicros, 1, 1, 1, false, block, queue);
  }
}
