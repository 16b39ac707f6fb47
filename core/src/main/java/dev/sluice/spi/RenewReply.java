package dev.sluice.spi;

/** The store's answer to a renewal. */
public sealed interface RenewReply {

  /**
   * The grant goes on.
   *
   * @param remainingMicros time left when the store decided, microseconds
   * @param waiting tickets in the queue
   */
  record Renewed(long remainingMicros, int waiting) implements RenewReply {}

  /** The grant of this attempt is gone: expired, released or taken over. */
  record Gone() implements RenewReply {}
}
