package dev.sluice.spi;

import java.util.concurrent.TimeUnit;

/**
 * The store's answer to a renewal.
 *
 * @since 0.1
 */
public sealed interface RenewReply {

  /**
   * The grant is renewed.
   *
   * @param remainingMicros time left when the store decided, microseconds
   * @param waiting tickets in the queue
   */
  record Renewed(long remainingMicros, int waiting) implements RenewReply {

    /** {@return the time left when the store decided, in nanoseconds} */
    public long remainingNanos() {
      return TimeUnit.MICROSECONDS.toNanos(remainingMicros);
    }
  }

  /** The grant of this attempt has ended: expired, released or taken over. */
  record Gone() implements RenewReply {}
}
