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
   * unless it was this thread that ended it, or found it over. It should return soon then, since
   * nobody else is elected before it has, as long as the store keeps our lease.
   *
   * @param term the term; ask {@link Term#isLeader()} before each act, and send {@link
   *     Term#token()} along with it
   * @throws Exception if it cannot lead: the term ends, listeners are told, and we stand again
   *     after a pause
   */
  void lead(Term term) throws Exception;
}
