package dev.sluice.redis.quorum;

import dev.sluice.spi.GrantRequest;
import java.util.concurrent.CompletionStage;

/**
 * One node of a quorum, for the rounds. No call blocks, and every stage ends within the request
 * timeout; a failure means that the node may or may not have carried the call out.
 */
interface QuorumPeer {

  /** Kind and address, for messages. */
  String describe();

  /** Its answer has been pending for so long that a round with a majority ends without it. */
  boolean isSlow();

  /** Round 1: enter the attempt, and accept the token if it is higher than all before. */
  CompletionStage<Vote> acquire(GrantRequest request, long token, int block);

  /** Round 2: accept a higher token, if the entry is still the attempt's. */
  CompletionStage<Vote> raise(GrantRequest request, long token, int block);

  /** Extend the entry of the attempt, or create it again if it is missing. */
  CompletionStage<Vote> renew(String name, String client, long attempt, long ttlMicros);

  /** End the attempt. */
  CompletionStage<Vote> release(String name, String client, long attempt, boolean waits);

  /** Look. */
  CompletionStage<NodeView> inspect(String name);
}
