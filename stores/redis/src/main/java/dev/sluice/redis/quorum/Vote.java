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

  /** The votes in the order of the scripts' numbers. */
  enum Kind {
    /** The attempt has ended. */
    OVER,
    /** Granted, renewed, released. */
    YES,
    /** Another client's, expired, or nothing to release. */
    NO,
    /** The entry is this attempt's, but the token is not, or the entry was missing in between. */
    ENTERED,
    /** The node has lost its promises, and must not vote. */
    NOT_MEMBER
  }

  private static final Kind[] KINDS = Kind.values();

  static Vote read(Reply reply) {
    return new Vote(
        KINDS[(int) reply.number(0)], reply.number(1), reply.number(2), (int) reply.number(3));
  }
}
