package dev.sluice.lock;

/**
 * The work of a leader.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LeaderCallback {
  /**
   * Leads for one term. When the term ends before this method does, the thread is interrupted,
   * unless it was this thread that ended it, or found it over. It should return soon then. While
   * the store keeps the lease, no other process is elected before it has returned.
   *
   * @param term the term; ask {@link Term#isLeader()} before each act, and send {@link
   *     Term#token()} along with it
   * @throws Exception if it cannot lead: the term ends, listeners are called, and this process
   *     stands for election again after a pause
   */
  void lead(Term term) throws Exception;
}
