package dev.sluice.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A lease on several names. It is lost as soon as one of its locks is lost, and in doubt while one
 * of them is in doubt.
 *
 * <pre>{@code
 * try (MultiLease lease = sluice.multiLock("account/7", "account/8").acquire(Duration.ZERO)) {
 *   lease.checkHeld(); // throws LeaseLostException if one of them is lost
 *   orders.write(order, lease.token("account/7"));
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads. {@link #renew} and {@link #release()} block for one round trip
 * where the locks live on one server, at most for the request timeout. An interruption does not end
 * them, and the thread stays interrupted.
 *
 * @since 0.1
 */
public interface MultiLease extends AutoCloseable {

  /** {@return the names, sorted} */
  List<String> names();

  /**
   * Returns the fencing token of one of the locks. Each name has its own tokens.
   *
   * @param name one of {@link #names()}
   * @return its token
   * @throws IllegalArgumentException if it is not one of the names
   */
  long token(String name);

  /**
   * Returns the lease of one of the locks, for a guard. Releasing it alone ends the whole.
   *
   * @param name one of {@link #names()}
   * @return its lease
   * @throws IllegalArgumentException if it is not one of the names
   */
  Lease lease(String name);

  /** {@return the time left until the first of the locks ends, zero once it has} No round trip. */
  Duration remaining();

  /**
   * {@return {@link LeaseState#LOST} if any lock is lost, else {@link LeaseState#RELEASED} if any
   * was released, else {@link LeaseState#IN_DOUBT} if any is in doubt} No round trip.
   */
  LeaseState state();

  /**
   * Throws if any of the locks is no longer held. No round trip.
   *
   * @throws LeaseLostException if one is lost or was released; the message names it
   */
  void checkHeld();

  /**
   * Extends all locks to at least {@code ttl} from now, in one round trip if they are on one
   * server.
   *
   * @param ttl 10 ms to the configured maximum
   * @return true if the store confirmed all; false if one is lost or was released; it can't be
   *     renewed later
   * @throws dev.sluice.BackendException if the store did not answer for one; it keeps its old
   *     deadline
   */
  boolean renew(Duration ttl);

  /**
   * Renews as {@link #renew}, without waiting for the store.
   *
   * @param ttl 10 ms to the configured maximum
   * @return completes with what {@link #renew} would return, on the callback executor
   */
  CompletionStage<Boolean> renewAsync(Duration ttl);

  /**
   * Adds a listener. If the state has changed already, the listener is called immediately.
   *
   * @param listener called on the callback executor, once for each change of {@link #state()}, in
   *     order; the first loss or release is final
   * @return this lease
   */
  MultiLease onChange(MultiLeaseListener listener);

  /**
   * Releases all locks independently, and waits for the store's confirmation, at most for the
   * request timeout. Idempotent.
   *
   * @return true if this call ended leases that were all still held
   */
  boolean release();

  /**
   * Releases as {@link #release()}, without waiting for the store.
   *
   * @return completes with what {@link #release()} would return
   */
  CompletionStage<Boolean> releaseAsync();

  /** Releases as {@link #release()}; never throws for a lost lease or a silent store. */
  @Override
  void close();
}
