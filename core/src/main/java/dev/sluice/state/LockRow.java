package dev.sluice.state;

import org.jspecify.annotations.Nullable;

/**
 * A {@link LockState} as a store of tables keeps it: what people and queries may look at in columns
 * of its own, the rest as bytes. All times are the store's clock, microseconds since the epoch.
 *
 * @param fence highest token ever given or reserved
 * @param lastUse when somebody last asked for something
 * @param grant who holds the lock, or null; may have expired
 * @param over the attempt that ended last, or null
 * @param waiting tickets in the queue
 * @param rest earlier ends of other clients' attempts, and the queue; null when there are none. Not
 *     copied, so not to be changed
 */
public record LockRow(
    long fence,
    long lastUse,
    @Nullable Grant grant,
    @Nullable Over over,
    int waiting,
    byte @Nullable [] rest) {

  /** Of a lock that nobody ever held. */
  public static final LockRow EMPTY = new LockRow(0, 0, null, null, 0, null);

  /**
   * A grant, taken up or still reserved for its ticket.
   *
   * @param client whose it is
   * @param attempt which attempt of the client
   * @param token first of its fencing tokens
   * @param block how many tokens it has
   * @param ttl how long it was given for, microseconds
   * @param since when it was granted
   * @param expiresAt when it ends
   * @param pending handed over, not yet taken up
   * @param wanted whether the client was told that somebody waits
   */
  public record Grant(
      String client,
      long attempt,
      long token,
      int block,
      long ttl,
      long since,
      long expiresAt,
      boolean pending,
      boolean wanted) {}

  /**
   * Attempts up to this one are over.
   *
   * @param client whose
   * @param attempt the last of them
   * @param at when it ended
   */
  public record Over(String client, long attempt, long at) {}
}
