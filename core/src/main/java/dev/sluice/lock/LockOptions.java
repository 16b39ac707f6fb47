package dev.sluice.lock;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is held. An immutable value: each method returns a changed copy.
 *
 * @param ttl length of a lease, 10 ms to the configured maximum (one day). A dead holder blocks the
 *     others for at most this long
 * @param renewing whether the lease is lengthened every third of its TTL while it is held
 * @param maxHold longest time that a lease is renewed for, or null for no bound; afterwards it runs
 *     out and is lost
 * @param whileThreadLives renew only as long as the thread that acquired is alive
 * @param sticky how long the process keeps the idle lock after its last release, or null to give it
 *     back at once. Another process that asks for the lock gets it at once all the same
 * @param handOffLimit most turns that this process takes in a row once another process waits, at
 *     least 1
 * @param handOffTime longest time that this process goes on taking turns once another process waits
 * @param strictOrder whether each turn is asked of the store, so that no process ever passes
 *     another one that queued there before
 */
public record LockOptions(
    Duration ttl,
    boolean renewing,
    @Nullable Duration maxHold,
    boolean whileThreadLives,
    @Nullable Duration sticky,
    int handOffLimit,
    Duration handOffTime,
    boolean strictOrder) {

  /** Shortest lease: 10 ms. Below that, clock precision and margins leave nothing to use. */
  public static final Duration MIN_TTL = Duration.ofMillis(10);

  /** Longest lease unless configured otherwise: one day. */
  public static final Duration MAX_TTL = Duration.ofDays(1);

  /** Nothing here lasts longer; beyond 292 years nanoseconds do not fit into a long. */
  private static final Duration LONGEST = Duration.ofDays(3650);

  private static final LockOptions DEFAULTS =
      new LockOptions(
          Duration.ofSeconds(30), true, null, false, null, 256, Duration.ofMillis(10), false);

  /** Checks every setting. */
  public LockOptions {
    requireNonNull(ttl, "ttl must not be null");
    requireNonNull(handOffTime, "handOffTime must not be null");
    if (ttl.compareTo(MIN_TTL) < 0) {
      throw new IllegalArgumentException("ttl must be at least 10ms: " + ttl);
    }
    if (maxHold != null && (maxHold.compareTo(MIN_TTL) < 0 || maxHold.compareTo(LONGEST) > 0)) {
      throw new IllegalArgumentException("maxHold must be 10ms to 3650d: " + maxHold);
    }
    if (sticky != null
        && (sticky.isNegative() || sticky.isZero() || sticky.compareTo(LONGEST) > 0)) {
      throw new IllegalArgumentException("sticky must be positive, at most 3650d: " + sticky);
    }
    if (handOffLimit < 1) {
      throw new IllegalArgumentException("handOffLimit must be >= 1: " + handOffLimit);
    }
    if (handOffTime.isNegative() || handOffTime.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("handOffTime must be 0 to 3650d: " + handOffTime);
    }
    if (strictOrder && sticky != null) {
      throw new IllegalArgumentException(
          "fair and sticky exclude each other: a lock that is kept is taken again before others");
    }
  }

  /**
   * {@return a lease of 30 s that is renewed every 10 s while it is held, not sticky; at most 256
   * turns or 10 ms in a row once another process waits}
   */
  public static LockOptions defaults() {
    return DEFAULTS;
  }

  /**
   * A lease that is not renewed: it ends {@code ttl} after it was asked for, at the latest.
   *
   * @param ttl 10 ms to the configured maximum
   * @return the options
   */
  public static LockOptions fixed(Duration ttl) {
    return new LockOptions(
        ttl, false, null, false, null, DEFAULTS.handOffLimit, DEFAULTS.handOffTime, false);
  }

  /**
   * A lease that is renewed every third of {@code ttl} while it is held.
   *
   * @param ttl 10 ms to the configured maximum
   * @return the options
   */
  public static LockOptions renewing(Duration ttl) {
    return new LockOptions(
        ttl, true, null, false, null, DEFAULTS.handOffLimit, DEFAULTS.handOffTime, false);
  }

  /**
   * Bounds how long one lease is renewed.
   *
   * @param longest 10 ms to 3650 days
   * @return changed options
   */
  public LockOptions maxHold(Duration longest) {
    requireNonNull(longest, "maxHold must not be null");
    return new LockOptions(
        ttl, renewing, longest, whileThreadLives, sticky, handOffLimit, handOffTime, strictOrder);
  }

  /**
   * Renews only as long as the thread that acquired is alive, so that a thread which died without
   * releasing does not hold the lock for ever.
   *
   * @return changed options
   */
  public LockOptions onlyWhileThreadLives() {
    return new LockOptions(
        ttl, renewing, maxHold, true, sticky, handOffLimit, handOffTime, strictOrder);
  }

  /**
   * Keeps the idle lock in this process for a while, so that the next acquire costs no round trip.
   *
   * @param idle positive, at most 3650 days
   * @return changed options
   */
  public LockOptions sticky(Duration idle) {
    requireNonNull(idle, "sticky must not be null");
    return new LockOptions(
        ttl, renewing, maxHold, whileThreadLives, idle, handOffLimit, handOffTime, strictOrder);
  }

  /**
   * Bounds the turns that this process takes in a row once another process waits.
   *
   * @param turns at least 1
   * @param time zero to 3650 days
   * @return changed options
   */
  public LockOptions handOff(int turns, Duration time) {
    return new LockOptions(
        ttl, renewing, maxHold, whileThreadLives, sticky, turns, time, strictOrder);
  }

  /**
   * Serves processes strictly in the order in which they queued at the store. Each turn costs a
   * round trip, also between threads of one process; a process that has more threads in line queues
   * again, behind those that came meanwhile. Not together with {@link #sticky(Duration)}.
   *
   * @return changed options
   */
  public LockOptions fair() {
    return new LockOptions(
        ttl, renewing, maxHold, whileThreadLives, sticky, handOffLimit, handOffTime, true);
  }
}
