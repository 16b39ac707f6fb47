package dev.sluice.redis.quorum;

import dev.sluice.redis.command.Reply;

/**
 * The answer of one node of a quorum.
 *
 * @param kind the answer
 * @param fence the highest token that it has stored for the name
 * @param remainingMicros time left to its entry, of any client
 * @param waiting how many clients it knows to wait
 */
record Vote(Kind kind, long fence, long remainingMicros, int waiting) {

  /** In the order of the scripts' numbers. */
  enum Kind {
    /** The attempt is over. */
    OVER,
    /** Granted, renewed, freed. */
    YES,
    /** Another's, gone, or nothing to free. */
    NO,
    /** The entry is this attempt's; the token is not, or the entry had been gone. */
    ENTERED,
    /** The node has forgotten what it promised, and may not say anything. */
    NOT_MEMBER
  }

  private static final Kind[] KINDS = Kind.values();

  static Vote read(Reply reply) {
    return new Vote(
        KINDS[(int) reply.number(0)], reply.number(1), reply.number(2), (int) reply.number(3));
  }
}
