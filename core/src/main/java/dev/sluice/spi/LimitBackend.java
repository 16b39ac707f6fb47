package dev.sluice.spi;

import dev.sluice.limit.Settlement;
import dev.sluice.limit.ThrottleReply;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The operations of rate limits: each is one atomic step at the store, decided by the store's clock
 * as in {@code LimitState}, {@code QueueState} and {@code ThrottleState}. No call blocks; failures
 * are those of {@link GrantBackend}.
 *
 * @since 0.1
 */
public interface LimitBackend {

  /**
   * Returns whether the store has answered or failed a call. Until then no call is ended by a
   * limiter's deadline, which is made for decisions and not for opening connections; the backend
   * ends it.
   *
   * @return true where connections are open before the first call
   */
  default boolean hasAnswered() {
    return true;
  }

  /**
   * Takes, reads or returns permits: in all tiers or in none.
   *
   * @param request what is asked
   * @return the decision
   */
  CompletionStage<LimitReply> decide(LimitRequest request);

  /**
   * Replaces the estimated cost of a use by its actual cost, atomically in all tiers. Counts once
   * for an id: the step that counts also remembers the id, until no settlement of this use counts
   * any more.
   *
   * @param request what it has cost
   * @return whether it counted
   */
  CompletionStage<Settlement> settle(SettleRequest request);

  /**
   * Resets the counts, and empties the queue.
   *
   * @param limiter name of the limiter
   * @param key whose
   * @param rules tiers; shared ones are left alone. Empty for a queue
   * @return completes when it is done
   */
  CompletionStage<Void> forget(String limiter, String key, List<LimitRule> rules);

  /**
   * Enters a leaky queue.
   *
   * @param request who, how
   * @return when the turn comes, or a refusal
   */
  CompletionStage<QueueReply> enter(QueueRequest request);

  /**
   * Moves a caller forward to the end of the reserved time before it, after another caller left.
   * Sends a message to the caller behind it.
   *
   * @param request the request that entered
   * @return the time that is left; not admitted if the turn has come already
   */
  CompletionStage<QueueReply> advance(QueueRequest request);

  /**
   * Leaves the queue before the reserved time. Sends a message to the caller behind it.
   *
   * @param request the request that entered
   * @return true if the place was given up
   */
  CompletionStage<Boolean> leave(QueueRequest request);

  /**
   * Delivers the tickets of callers that may move forward. A message is a hint: it may be lost,
   * late or repeated.
   *
   * @param client the process
   * @param listener called with each ticket; must not block
   * @return completes once messages are delivered
   */
  CompletionStage<Void> listenForTurns(String client, Consumer<Long> listener);

  /**
   * Ends {@link #listenForTurns}.
   *
   * @param client the process
   */
  void unlistenForTurns(String client);

  /**
   * Decides a {@code CL.THROTTLE}.
   *
   * @param key whose bucket
   * @param request the numbers, checked
   * @return the five values
   */
  CompletionStage<ThrottleReply> throttle(String key, ThrottleRequest request);
}
