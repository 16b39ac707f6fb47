package dev.sluice.lock;

import java.util.Optional;

/**
 * Elects one leader among processes: whoever holds the lock of this name leads, the others wait in
 * its queue. A term is one grant of that lock, so it has a fencing token, and its end is told
 * before anybody else can be elected.
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
 * <p>Safe for use by many threads.
 */
public interface LeaderElection extends AutoCloseable {

  /** {@return the name of the election, which is that of its lock} */
  String name();

  /**
   * Stands for election until {@link #close()}, on a daemon thread of its own, which also runs the
   * callback. When the callback returns or throws, the term is over and we stand again: after 100
   * ms, or, when it throws time and again, after a pause that doubles up to 30 s.
   *
   * @param callback what the leader does, once for each term
   * @return this
   * @throws IllegalStateException if this election was begun before, or is closed
   */
  LeaderElection lead(LeaderCallback callback);

  /** {@return whether we lead now} No round trip. False as soon as there is a doubt. */
  boolean isLeader();

  /** {@return our present term, empty when we do not lead} No round trip. */
  Optional<Term> term();

  /**
   * Asks the store who leads and who waits for its turn. One round trip; changes nothing.
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
   * Steps down and stands no more. We do not lead from the moment of the call; the callback is
   * interrupted and waited for, at most five seconds; the lock is given back when it has returned.
   * Idempotent.
   */
  @Override
  void close();
}
