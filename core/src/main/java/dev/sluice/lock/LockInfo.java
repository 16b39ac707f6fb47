package dev.sluice.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A snapshot of a lock.
 *
 * @param name the lock
 * @param holder who holds it, empty when it is free
 * @param waiters processes that wait for it, in order
 * @param lastToken the highest fencing token handed out or reserved, 0 when the store remembers
 *     none
 * @since 0.1
 */
public record LockInfo(String name, Optional<Holder> holder, List<Waiter> waiters, long lastToken) {

  /** Copies the list. */
  public LockInfo {
    waiters = List.copyOf(waiters);
  }

  /**
   * A process that holds the lock.
   *
   * @param client random id of the process, made at its start; {@code -} if the lock has no holder
   *     and stays taken for a while, see {@link DistributedLock#releaseAfter}
   * @param attempt the attempt of that process that was granted
   * @param token first fencing token of the grant
   * @param since when it was granted, by the store's clock
   * @param remaining time left by the store's clock
   */
  public record Holder(
      String client, long attempt, long token, Instant since, Duration remaining) {}

  /**
   * A process that waits for the lock.
   *
   * @param client random id of the process
   * @param attempt the attempt that waits
   */
  public record Waiter(String client, long attempt) {}
}
