package dev.sluice.spi;

import java.util.concurrent.TimeUnit;

/**
 * The store's answer to a {@link GrantRequest}.
 *
 * @since 0.1
 */
public sealed interface GrantReply {

  /** {@return the units of the grant, zero unless granted} */
  default int units() {
    return 0;
  }

  /**
   * The attempt has a grant.
   *
   * @param token first of the reserved fencing tokens
   * @param block how many tokens are reserved: {@code token} to {@code token + block - 1}
   * @param remainingMicros time left when the store decided, microseconds
   * @param waiting tickets in the queue behind this grant
   * @param units how many units the grant has
   */
  record Granted(long token, int block, long remainingMicros, int waiting, int units)
      implements GrantReply {

    /**
     * The grant of a lock, which has one unit.
     *
     * @param token first of the reserved fencing tokens
     * @param block how many tokens are reserved
     * @param remainingMicros time left when the store decided, microseconds
     * @param waiting tickets in the queue behind this grant
     */
    public Granted(long token, int block, long remainingMicros, int waiting) {
      this(token, block, remainingMicros, waiting, 1);
    }

    /** {@return the time left when the store decided, in nanoseconds} */
    public long remainingNanos() {
      return TimeUnit.MICROSECONDS.toNanos(remainingMicros);
    }
  }

  /**
   * Too few units are free or another client is first, and the request is not queued. In the second
   * case the attempt is over, and the store may remember that the client waits until that attempt
   * or a later one is released.
   *
   * @param remainingMicros time left to the grant that ends first, microseconds; 0 where none is
   *     known
   */
  record Busy(long remainingMicros) implements GrantReply {

    /** {@return the time left to the grant that ends first, in nanoseconds} */
    public long remainingNanos() {
      return TimeUnit.MICROSECONDS.toNanos(remainingMicros);
    }
  }

  /**
   * The ticket is in the queue.
   *
   * @param position tickets before this one
   * @param remainingMicros time left to the grant that ends first, microseconds; 0 where there is
   *     none
   */
  record Queued(int position, long remainingMicros) implements GrantReply {

    /** {@return the time left to the grant that ends first, in nanoseconds} */
    public long remainingNanos() {
      return TimeUnit.MICROSECONDS.toNanos(remainingMicros);
    }
  }

  /** This attempt has ended: it was released, or a later attempt of the client replaced it. */
  record Over() implements GrantReply {}
}
