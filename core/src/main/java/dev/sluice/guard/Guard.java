package dev.sluice.guard;

import dev.sluice.lock.Lease;

/**
 * The check at the resource: stores the highest token so far with its attempt, and refuses a lower
 * token, or the same token from another attempt. A lease cannot stop a process that pauses between
 * a check of its lease and its write; a guard can.
 *
 * <p><b>The first access of a section, read or write, calls {@link #advance}.</b> If reads do not
 * raise the guard, a paused holder may write between the next holder's read and write, and that
 * update is lost.
 *
 * <p>A guard is as good as its bond with the access. One that decides in the transaction, the
 * script or the monitor of the access admits no stale one; one that is asked a moment earlier
 * leaves that moment open. Implementations say which they are.
 *
 * <p>Each store has one implementation, made by its {@code create}: {@link MemoryGuard} for
 * resources inside this JVM, {@code JdbcGuard}, {@code RedisGuard} and {@code ZooKeeperGuard} in
 * the modules of the stores.
 *
 * <pre>{@code
 * MemoryGuard guard = MemoryGuard.create();
 * guard.advance(lease); // throws StaleTokenException if the guard has seen a higher token
 * }</pre>
 *
 * <p>Safe for use by many threads. Whether a call blocks depends on where the guard keeps tokens;
 * an interruption does not end it.
 *
 * @since 0.1
 */
public interface Guard {

  /**
   * The first access of a section, or any later one. From here on, lower tokens are refused.
   *
   * @param resource what is accessed, 1 to 512 bytes of UTF-8
   * @param token the token of the section
   * @throws StaleTokenException if the guard has seen a higher token
   * @throws IllegalArgumentException if the resource's name breaks the rule
   * @throws dev.sluice.BackendException if the guard's store did not answer
   */
  void advance(String resource, FencingToken token);

  /**
   * A further access of a section that has called {@link #advance}. Changes nothing.
   *
   * @param resource what is accessed, 1 to 512 bytes of UTF-8
   * @param token the token of the section
   * @throws StaleTokenException if the guard has seen a higher token
   * @throws IllegalStateException if this section has not raised the guard, or the guard's store
   *     has lost it
   * @throws IllegalArgumentException if the resource's name breaks the rule
   * @throws dev.sluice.BackendException if the guard's store did not answer
   */
  void check(String resource, FencingToken token);

  /**
   * A guard for the resource that has the name of the lock.
   *
   * @param lease the lease of the section
   * @throws StaleTokenException if the guard has seen a higher token
   */
  default void advance(Lease lease) {
    advance(lease.name(), FencingToken.of(lease));
  }

  /**
   * A guard for the resource that has the name of the lock.
   *
   * @param lease the lease of the section
   * @throws StaleTokenException if the guard has seen a higher token
   * @throws IllegalStateException if this section has not raised the guard
   */
  default void check(Lease lease) {
    check(lease.name(), FencingToken.of(lease));
  }

  /** {@return the decisions of this process since the guard was created} No round trip. */
  GuardStats stats();
}
