package dev.sluice.spi;

/** The store's answer to an {@link AcquireRequest}. */
public sealed interface AcquireReply {

  /**
   * The lock is this attempt's.
   *
   * @param token first of the reserved fencing tokens
   * @param block how many tokens are reserved: {@code token} to {@code token + block - 1}
   * @param remainingMicros time left when the store decided, microseconds
   * @param waiting tickets in the queue behind this grant
   */
  record Granted(long token, int block, long remainingMicros, int waiting)
      implements AcquireReply {}

  /**
   * Another client holds the lock or comes first, and this request did not want to queue, or the
   * store has no queue. In the second case the attempt is over, and the store may remember that the
   * client waits until that attempt or a later one is released.
   *
   * @param remainingMicros time left to the holder, microseconds; 0 where nobody is known to hold
   */
  record Busy(long remainingMicros) implements AcquireReply {}

  /**
   * The ticket stands in the queue.
   *
   * @param position tickets before this one
   * @param remainingMicros time left to the holder, microseconds
   */
  record Queued(int position, long remainingMicros) implements AcquireReply {}

  /** This attempt is over: it was released, or a later attempt of the client came first. */
  record Over() implements AcquireReply {}
}
