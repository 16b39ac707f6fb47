package dev.sluice.limit;

import java.time.Duration;

/**
 * A reserved time for a call, which may proceed after {@link #delay()}. Safe for use by many
 * threads.
 *
 * @since 0.1
 */
public interface Reservation {

  /** {@return the decision; if it is a refusal, nothing is reserved} */
  Decision decision();

  /**
   * {@return the time left until the call may proceed, zero if that is now; it shrinks as time
   * passes}
   */
  Duration delay();

  /**
   * Cancels the reservation. In a leaky queue those behind move up, so no gap is left; with the
   * other algorithms the place lapses, because moving others up could break the limit. Does nothing
   * when the time has come already.
   */
  void cancel();
}
