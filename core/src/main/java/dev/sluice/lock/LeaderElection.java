package dev.sluice.lock;

import java.util.Optional;

/**
 * Elects one leader among processes. The holder of the lock of this name leads, and the other
 * candidates wait in its queue. A term is one grant of that lock, so it has a fencing token, and
 * this process knows of its end before another process can be elected.
 *
 * <pre>{@code
 * LeaderElection election = sluice.election("scheduler");
 * election.lead(term -> {
 *   while (term.isLeader()) {
 *     jobs.runNext(term.token()); // the resource refuses the token of an earlier term
 *   }
 * });
 * }</pre>
 *
 * <p>Safe for use by many threads. {@link #lead} returns immediately. {@link #info} blocks for one
 * round trip, {@link #close} for at most five seconds; an interruption does not undo them, and the
 * thread stays interrupted.
 *
 * @since 0.1
 */
public interface LeaderElection extends AutoCloseable {

  /** {@return the name of the election, which is that of its lock} */
  String name();

  /**
   * Stands for election until {@link #close()}, on a new daemon thread, which also runs the
   * callback. When the callback returns or throws, the term is over and the candidate stands again:
   * after 100 ms, or, if the callback throws repeatedly, after a pause that doubles up to 30 s.
   *
   * @param callback what the leader does, once for each term
   * @return this
   * @throws IllegalStateException if this election was begun before, or is closed
   */
  LeaderElection lead(LeaderCallback callback);

  /**
   * {@return whether this candidate leads} No round trip. False as soon as the lease is in doubt.
   */
  boolean isLeader();

  /** {@return the present term, empty if this candidate does not lead} No round trip. */
  Optional<Term> term();

  /**
   * Reads from the store who leads and who waits. One round trip; changes nothing.
   *
   * @return what the store knows about the lock of this name: its holder leads, its waiters are the
   *     other candidates. A leader that was elected a moment ago may not know it yet
   * @throws dev.sluice.BackendException if the store did not answer
   * @throws IllegalStateException if the client is closed
   */
  LockInfo info();

  /**
   * Adds a listener.
   *
   * @param listener called on the callback executor, for terms that begin from now on
   * @return this
   */
  LeaderElection onChange(ElectionListener listener);

  /**
   * Steps down and withdraws from the election. This process stops leading immediately. The
   * callback is interrupted, and the call waits for it, at most five seconds. The lock is released
   * when the callback has returned. Idempotent.
   */
  @Override
  void close();
}
