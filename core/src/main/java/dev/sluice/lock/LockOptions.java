package dev.sluice.lock;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a lock. An immutable value: a factory chooses the lease, and each further method
 * returns a changed copy. Every setting is checked when it is made: a value out of its range throws
 * {@link IllegalArgumentException}.
 *
 * <pre>{@code
 * LockOptions nightly =
 *     LockOptions.renewing(Duration.ofSeconds(10)) // a dead holder blocks others for 10 s at most
 *         .maxHold(Duration.ofMinutes(5)); // a hanging one for 5 minutes
 * DistributedLock lock = sluice.lock("report", nightly);
 * }</pre>
 *
 * @since 0.1
 */
public final class LockOptions {

  /** The shortest lease: 10 ms. Below that, clock precision and margins leave nothing to use. */
  public static final Duration MIN_TTL = Duration.ofMillis(10);

  /** The default longest lease: one day. */
  public static final Duration MAX_TTL = Duration.ofDays(1);

  /** The upper bound of durations; beyond 292 years, nanoseconds do not fit into a long. */
  private static final Duration MAX_DURATION = Duration.ofDays(3650);

  private static final LockOptions DEFAULTS = renewing(Duration.ofSeconds(30));

  private final Values values;

  private LockOptions(Values values) {
    this.values = values;
  }

  private record Values(
      Duration ttl,
      boolean renewing,
      Optional<Duration> maxHold,
      boolean threadBound,
      Optional<Duration> sticky,
      int handOffTurns,
      Duration handOffTime,
      boolean fair) {

    Values {
      requireNonNull(ttl, "ttl must not be null");
      requireNonNull(handOffTime, "handOffTime must not be null");
      if (ttl.compareTo(MIN_TTL) < 0) {
        throw new IllegalArgumentException("ttl must be at least 10ms: " + ttl);
      }
      maxHold.ifPresent(
          longest -> {
            if (longest.compareTo(MIN_TTL) < 0 || longest.compareTo(MAX_DURATION) > 0) {
              throw new IllegalArgumentException("maxHold must be 10ms to 3650d: " + longest);
            }
          });
      sticky.ifPresent(
          idle -> {
            if (idle.isNegative() || idle.isZero() || idle.compareTo(MAX_DURATION) > 0) {
              throw new IllegalArgumentException("sticky must be positive, at most 3650d: " + idle);
            }
          });
      if (handOffTurns < 1) {
        throw new IllegalArgumentException("handOffTurns must be >= 1: " + handOffTurns);
      }
      if (handOffTime.isNegative() || handOffTime.compareTo(MAX_DURATION) > 0) {
        throw new IllegalArgumentException("handOffTime must be 0 to 3650d: " + handOffTime);
      }
      if (fair && sticky.isPresent()) {
        throw new IllegalArgumentException(
            "fair() and sticky() must not be combined: a process that keeps an idle lock would"
                + " overtake waiters; remove one of them");
      }
    }
  }

  /**
   * {@return a lease of 30 s that is renewed every 10 s while it is held, not sticky; at most 256
   * consecutive grants or 10 ms in one process while another process waits}
   */
  public static LockOptions defaults() {
    return DEFAULTS;
  }

  /**
   * A lease that is not renewed: it ends at the latest {@code ttl} after the request.
   *
   * @param ttl 10 ms to the configured maximum
   * @return the options
   */
  public static LockOptions fixed(Duration ttl) {
    return of(ttl, false);
  }

  /**
   * A lease that is renewed every third of {@code ttl} while it is held.
   *
   * @param ttl 10 ms to the configured maximum
   * @return the options
   */
  public static LockOptions renewing(Duration ttl) {
    return of(ttl, true);
  }

  private static LockOptions of(Duration ttl, boolean renewing) {
    return new LockOptions(
        new Values(
            ttl,
            renewing,
            Optional.empty(),
            false,
            Optional.empty(),
            256,
            Duration.ofMillis(10),
            false));
  }

  /**
   * Renews the lease every third of its TTL while it is held.
   *
   * @return changed options
   */
  public LockOptions renewing() {
    Values v = values;
    return new LockOptions(
        new Values(
            v.ttl,
            true,
            v.maxHold,
            v.threadBound,
            v.sticky,
            v.handOffTurns,
            v.handOffTime,
            v.fair));
  }

  /**
   * Bounds the time for which one lease is renewed. Afterwards it runs out and is lost.
   *
   * @param longest 10 ms to 3650 days (default: no bound)
   * @return changed options
   */
  public LockOptions maxHold(Duration longest) {
    requireNonNull(longest, "maxHold must not be null");
    Values v = values;
    return new LockOptions(
        new Values(
            v.ttl,
            v.renewing,
            Optional.of(longest),
            v.threadBound,
            v.sticky,
            v.handOffTurns,
            v.handOffTime,
            v.fair));
  }

  /**
   * Renews only while the acquiring thread is alive. A thread that died without releasing does not
   * hold the lock for ever.
   *
   * @return changed options
   */
  public LockOptions threadBound() {
    Values v = values;
    return new LockOptions(
        new Values(
            v.ttl, v.renewing, v.maxHold, true, v.sticky, v.handOffTurns, v.handOffTime, v.fair));
  }

  /**
   * Keeps the idle lock in this process for a while after its last release, so that the next
   * acquire costs no round trip. Another process that asks for the lock gets it immediately all the
   * same.
   *
   * @param idle positive, at most 3650 days (default: not kept)
   * @return changed options
   */
  public LockOptions sticky(Duration idle) {
    requireNonNull(idle, "sticky must not be null");
    Values v = values;
    return new LockOptions(
        new Values(
            v.ttl,
            v.renewing,
            v.maxHold,
            v.threadBound,
            Optional.of(idle),
            v.handOffTurns,
            v.handOffTime,
            v.fair));
  }

  /**
   * Bounds the consecutive grants of this process while another process waits.
   *
   * @param turns at least 1 (default: 256)
   * @param time zero to 3650 days (default: 10 ms)
   * @return changed options
   */
  public LockOptions handOff(int turns, Duration time) {
    Values v = values;
    return new LockOptions(
        new Values(v.ttl, v.renewing, v.maxHold, v.threadBound, v.sticky, turns, time, v.fair));
  }

  /**
   * Serves processes strictly in the order in which they queued at the store. Each turn costs a
   * round trip, also between threads of one process. A process with more waiting threads queues
   * again, behind those that came meanwhile. Not together with {@link #sticky(Duration)}.
   *
   * @return changed options
   */
  public LockOptions fair() {
    Values v = values;
    return new LockOptions(
        new Values(
            v.ttl,
            v.renewing,
            v.maxHold,
            v.threadBound,
            v.sticky,
            v.handOffTurns,
            v.handOffTime,
            true));
  }

  /** {@return the length of a lease; a dead holder blocks other clients for at most this long} */
  public Duration ttl() {
    return values.ttl;
  }

  /** {@return whether the lease is renewed every third of its TTL while it is held} */
  public boolean isRenewing() {
    return values.renewing;
  }

  /** {@return the longest time for which a lease is renewed; empty for no bound} */
  public Optional<Duration> maxHold() {
    return values.maxHold;
  }

  /** {@return whether the lease is renewed only while the acquiring thread is alive} */
  public boolean isThreadBound() {
    return values.threadBound;
  }

  /**
   * {@return the time for which the process keeps the idle lock; empty if it releases it
   * immediately}
   */
  public Optional<Duration> sticky() {
    return values.sticky;
  }

  /** {@return the most consecutive grants of this process while another process waits} */
  public int handOffTurns() {
    return values.handOffTurns;
  }

  /**
   * {@return the longest time of consecutive grants of this process while another process waits}
   */
  public Duration handOffTime() {
    return values.handOffTime;
  }

  /** {@return whether processes are served strictly in the order in which they queued} */
  public boolean isFair() {
    return values.fair;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LockOptions options && values.equals(options.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "LockOptions");
  }
}
