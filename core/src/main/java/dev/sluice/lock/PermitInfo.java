package dev.sluice.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A snapshot of a semaphore or a read-write lock.
 *
 * @param name the semaphore or read-write lock
 * @param capacity how many permits there are, zero if no client has set it; {@link
 *     #READ_WRITE_UNITS} for a read-write lock
 * @param holders who holds permits, in the order of their grants
 * @param waiters processes that wait, in order
 * @param lastToken the highest fencing token handed out or reserved, 0 when the store remembers
 *     none
 * @since 0.1
 */
public record PermitInfo(
    String name, int capacity, List<Holder> holders, List<Waiter> waiters, long lastToken) {

  /** The units of a read-write lock: one for each process that reads, all for a writer. */
  public static final int READ_WRITE_UNITS = 1 << 20;

  /** Copies the lists. */
  public PermitInfo {
    holders = List.copyOf(holders);
    waiters = List.copyOf(waiters);
  }

  /**
   * A lock as a name with one permit.
   *
   * @param lock what is known about a lock
   * @return the same
   */
  public static PermitInfo of(LockInfo lock) {
    return new PermitInfo(
        lock.name(),
        1,
        lock.holder().stream()
            .map(
                held ->
                    new Holder(
                        held.client(),
                        held.attempt(),
                        1,
                        held.token(),
                        held.since(),
                        held.remaining()))
            .toList(),
        lock.waiters().stream()
            .map(waiter -> new Waiter(waiter.client(), waiter.attempt(), 1))
            .toList(),
        lock.lastToken());
  }

  /**
   * {@return the information of a name with one permit as that of a lock: its holder and its
   * waiters}
   */
  public LockInfo asLock() {
    return new LockInfo(
        name,
        holders.stream()
            .findFirst()
            .map(
                held ->
                    new LockInfo.Holder(
                        held.client(),
                        held.attempt(),
                        held.token(),
                        held.since(),
                        held.remaining())),
        waiters.stream()
            .map(waiter -> new LockInfo.Waiter(waiter.client(), waiter.attempt()))
            .toList(),
        lastToken);
  }

  /** {@return the free permits, zero or more} */
  public int available() {
    long out = 0;
    for (Holder holder : holders) {
      out += holder.permits();
    }
    return (int) Math.max(0, capacity - out);
  }

  /** {@return whether the name is that of a read-write lock} */
  public boolean isReadWrite() {
    return capacity == READ_WRITE_UNITS;
  }

  /**
   * A process that holds permits. One process may be listed several times.
   *
   * @param client random id of the process, made at its start
   * @param attempt the attempt of that process that was granted
   * @param permits how many
   * @param token first fencing token of the grant
   * @param since when it was granted, by the store's clock
   * @param remaining time left by the store's clock
   */
  public record Holder(
      String client, long attempt, int permits, long token, Instant since, Duration remaining) {}

  /**
   * A process that waits.
   *
   * @param client random id of the process
   * @param attempt the attempt that waits
   * @param permits how many it needs at least
   */
  public record Waiter(String client, long attempt, int permits) {}
}
