package dev.sluice.limit;

import java.time.Duration;

/**
 * A place that was taken for a call: it may go ahead after {@link #delay()}. Safe for use by many
 * threads.
 *
 * @since 0.1
 */
public interface Reservation {

  /** {@return what the limiter answered; when it is not allowed, no place was taken} */
  Decision decision();

  /**
   * {@return time left until the call may go ahead, zero when that is now; shrinks as time passes}
   */
  Duration delay();

  /**
   * Gives the place up. In a leaky queue those behind move up, so no gap is left; with the other
   * algorithms the place lapses, because moving others up could break the limit. Does nothing when
   * the time has come already.
   */
  void cancel();
}
