package dev.sluice.bench.scale;

/** The repeated task of each client, one at a time unless it says otherwise. */
public enum ClientTask {
  /** Acquiring and releasing an uncontended lock. */
  OWN_LOCK,
  /** The same with the one lock that all want; the wait is the hand-over from another client. */
  HOT_LOCK,
  /** The same with a lock that two clients share. */
  PAIR_LOCK,
  /** The same with any of many locks. */
  ANY_LOCK,
  /** Asking for a permit of the one key. */
  HOT_LIMIT,
  /** Asking for a permit of any of many keys. */
  ANY_LIMIT,
  /** Asking for twenty permits of the one key every tenth of a second, which are had in advance. */
  LEASED_LIMIT,
  /** Claiming a unit of the one stock. */
  CLAIM,
  /** The same with 16 claims under way. */
  CLAIMS_TOGETHER
}
