package dev.sluice.lock;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A time-bounded claim on a name. This object is the claim, independent of any thread: pass it to
 * another thread, a virtual thread or a callback.
 *
 * <p>The lease ends at the earliest of {@link #release()}, its local deadline, and a message from
 * the store that it is lost. The deadline counts from the moment before the request left this
 * process, on the monotonic clock, less a margin for clock drift. So the holder knows that the
 * lease has expired before the store may grant the lock to another client. A lease cannot stop a
 * process that pauses between a check and a write. For that, let the resource compare {@link
 * #token()}.
 *
 * <pre>{@code
 * Optional<Lease> taken = sluice.lock("orders/42").tryAcquire();
 * if (taken.isPresent()) {
 *   try (Lease lease = taken.get()) {
 *     lease.checkHeld(); // throws LeaseLostException if the time is up
 *     orders.write(order, lease.token());
 *   }
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads. {@link #renew} and {@link #release()} block for one round trip,
 * at most for the request timeout. An interruption does not end them, and the thread stays
 * interrupted. The other methods answer from this process.
 *
 * @since 0.1
 */
public interface Lease extends AutoCloseable {

  /** {@return the name of the lock} */
  String name();

  /**
   * {@return the fencing token of this grant: positive, at most 2^53 - 1, higher than that of every
   * earlier grant of the name} Send it along with each access of the resource; a resource that
   * refuses a token lower than one it has seen is safe from a paused holder.
   */
  long token();

  /**
   * {@return the owner id of this lease: the id of the client, a dot, and the number of its attempt
   * on the lock} The store distinguishes grants by it, and so does a guard at the resource, in case
   * a store that lost its data gave the same token twice.
   */
  String attempt();

  /** {@return the time left until the local deadline, zero once it has passed} No round trip. */
  Duration remaining();

  /** {@return the known state of the lease} No round trip. */
  LeaseState state();

  /**
   * Throws if the lease may no longer be used. No round trip.
   *
   * @throws LeaseLostException if the lease is lost or was released
   */
  void checkHeld();

  /**
   * Extends the lease to at least {@code ttl} from now; never shortens it. Blocks for one round
   * trip.
   *
   * @param ttl 10 ms to the configured maximum
   * @return true if the store confirmed before the old deadline; false if the lease is lost or was
   *     released; it can't be renewed later
   * @throws dev.sluice.BackendException if the store did not answer; the lease keeps its old
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
   * @param listener called on the callback executor, never on the thread that caused the change
   * @return this lease
   */
  Lease onChange(LeaseListener listener);

  /**
   * Releases the lock and waits for the store to confirm it, at most for the request timeout. The
   * lease is over for this process immediately. If the store does not answer, the release goes on
   * in the background. Idempotent.
   *
   * @return true if this call ended a lease that was still held; false if it was lost, or released
   *     before
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
