package dev.sluice.lock;

/**
 * A lock that many readers or one writer may hold. Both sides are {@link LeaseLock}s, with leases,
 * deadlines and fencing tokens; a writer's token is higher than that of every reader and writer
 * before it, and lower than that of all after it.
 *
 * <p>{@link ReadWriteOrder#FAIR} (default): a later caller does not overtake a waiter, so a waiting
 * writer keeps later readers back. {@link ReadWriteOrder#WRITERS_FIRST}: a writer goes before all
 * readers that wait, and these may wait for a long time.
 *
 * <p>All readers of a process are one reader at the store. The first reader costs a round trip, and
 * the next readers join it without one, until a writer of another process waits.
 *
 * <p>A lease to read is never upgraded: a caller that acquires to write while it reads waits for
 * itself. A lease to write may be {@link #downgrade downgraded}. Neither side is re-entrant: a
 * reader that acquires to read again may wait behind a writer that waits for the first lease.
 *
 * <pre>{@code
 * DistributedReadWriteLock catalogue = sluice.readWriteLock("catalogue");
 * catalogue.readLock().run(Duration.ofSeconds(2), () -> orders.read());
 * try (Lease lease = catalogue.writeLock().acquire(Duration.ofSeconds(2))) {
 *   orders.write(order, lease.token());
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads; instances of one name are interchangeable. Blocking and
 * interruption of both sides are those of {@link LeaseLock}. {@link #info} blocks for one round
 * trip; an interruption does not end it.
 *
 * @since 0.1
 */
public interface DistributedReadWriteLock {

  /** {@return the name that processes share} */
  String name();

  /** {@return the options of this lock's leases} */
  LockOptions options();

  /** {@return the shared side} */
  LeaseLock readLock();

  /** {@return the exclusive side} */
  LeaseLock writeLock();

  /**
   * Downgrades a write lease to a read lease: readers may join, and no writer comes in between. The
   * lease to write is released; the new one has its token. No waiting.
   *
   * @param writer a lease of {@link #writeLock()} of this name and client
   * @return a lease to read
   * @throws IllegalArgumentException if it is no lease to write of this lock
   * @throws LeaseLostException if the lease is lost or was released
   */
  Lease downgrade(Lease writer);

  /**
   * Reads from the store who holds the lock and who waits. One round trip; changes nothing.
   *
   * @return what the store knows; a process that reads has one unit, a writer all
   * @throws dev.sluice.BackendException if the store did not answer
   */
  PermitInfo info();

  /** {@return an asynchronous view of what neither side has} */
  AsyncReadWriteLock async();
}
