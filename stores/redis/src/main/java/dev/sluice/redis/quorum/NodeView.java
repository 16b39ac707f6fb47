package dev.sluice.redis.quorum;

import dev.sluice.lock.LockInfo;
import dev.sluice.redis.command.Reply;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of a lock at one node of a quorum.
 *
 * @param member whether it may say anything
 * @param fence the highest token that it has stored for the name, 0 if none
 * @param client who has the entry; "-" if none has
 * @param attempt of the client
 * @param token first token of the entry; 0 if this node was too late for it
 * @param sinceMicros when it was entered, by the node's clock
 * @param remainingMicros time left to it
 * @param waiters who waits
 * @param arrivals since when each of them waits, by the node's clock
 */
record NodeView(
    boolean member,
    long fence,
    String client,
    long attempt,
    long token,
    long sinceMicros,
    long remainingMicros,
    List<LockInfo.Waiter> waiters,
    List<Long> arrivals) {

  static NodeView read(Reply reply) {
    List<String> words = reply.words(); // holder, then waiters; numbers in the same order
    List<LockInfo.Waiter> waiters = new ArrayList<>();
    List<Long> arrivals = new ArrayList<>();
    for (int i = 1; i < words.size(); i++) {
      waiters.add(new LockInfo.Waiter(words.get(i), reply.number(4 + 2 * i)));
      arrivals.add(reply.number(5 + 2 * i));
    }
    return new NodeView(
        reply.number(0) == Vote.Kind.YES.ordinal(),
        reply.number(1),
        words.get(0),
        reply.number(2),
        reply.number(3),
        reply.number(4),
        reply.number(5),
        waiters,
        arrivals);
  }

  boolean isHeld() {
    return !client.equals("-");
  }
}
