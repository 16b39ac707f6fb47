package dev.sluice.redis.quorum;

import dev.sluice.spi.GrantRequest;
import java.util.concurrent.CompletionStage;

/**
 * One node of a quorum, as rounds see it. No call blocks, and every stage ends within the request
 * timeout; a failure means that the node may or may not have carried the call out.
 */
interface QuorumPeer {

  /** Kind and place, for people. */
  String describe();

  /** It owes an answer for so long that a round which has a majority of answers ends without it. */
  boolean isSlow();

  /** Round 1: enter the attempt, and take the token if it is higher than all before. */
  CompletionStage<Vote> acquire(GrantRequest request, long token, int block);

  /** Round 2: take a higher token, if the entry is still the attempt's. */
  CompletionStage<Vote> raise(GrantRequest request, long token, int block);

  /** Lengthen the entry of the attempt, or enter it again where there is none. */
  CompletionStage<Vote> renew(String name, String client, long attempt, long ttlMicros);

  /** End the attempt. */
  CompletionStage<Vote> release(String name, String client, long attempt, boolean waits);

  /** Look. */
  CompletionStage<NodeView> inspect(String name);
}
