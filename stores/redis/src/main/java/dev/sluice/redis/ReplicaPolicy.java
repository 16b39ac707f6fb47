package dev.sluice.redis;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The number of replicas that must confirm a change before it counts. It holds for every grant and
 * every renewal of locks, semaphores and read-write locks, and for {@code trySetCount} and {@code
 * countDown} of latches. Releases, queue places, capacities, limits, Bloom filters, caches and
 * stock do not wait. An immutable value. A value out of its range throws {@link
 * IllegalArgumentException}.
 *
 * <p>What it gives: a fail-over to a replica that confirmed does not lose the lease. What it does
 * not: Redis may promote a replica that did not confirm; with {@link #all} there is none, unless a
 * replica has joined or come back since.
 *
 * @since 0.1
 */
public final class ReplicaPolicy {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(500);
  private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
  private static final Duration MAX_TIMEOUT = Duration.ofHours(1);

  private final Values values;

  private ReplicaPolicy(int count, boolean all, Duration timeout) {
    this.values = new Values(count, all, timeout);
  }

  private record Values(int count, boolean all, Duration timeout) {

    Values {
      requireNonNull(timeout, "timeout must not be null");
      if (timeout.compareTo(MIN_TIMEOUT) < 0 || timeout.compareTo(MAX_TIMEOUT) > 0) {
        throw new IllegalArgumentException("the time for replicas must be 1ms to 1h: " + timeout);
      }
    }
  }

  /** {@return the policy that waits for no replica} */
  public static ReplicaPolicy none() {
    return new ReplicaPolicy(0, false, DEFAULT_TIMEOUT);
  }

  /**
   * A number of replicas, within half a second.
   *
   * @param replicas at least 1
   * @return the policy
   */
  public static ReplicaPolicy atLeast(int replicas) {
    if (replicas < 1) {
      throw new IllegalArgumentException("replicas must be >= 1, or all: " + replicas);
    }
    return new ReplicaPolicy(replicas, false, DEFAULT_TIMEOUT);
  }

  /**
   * {@return every replica that is connected to the master at that time, and at least one, within
   * half a second} A replica that crashed is not connected; one that hangs is, until the master
   * gives it up (its {@code repl-timeout}, 60 s).
   */
  public static ReplicaPolicy all() {
    return new ReplicaPolicy(0, true, DEFAULT_TIMEOUT);
  }

  /**
   * Sets the time for which replicas are waited for, never longer than half the request timeout.
   *
   * @param longest 1 ms to 1 h (default: 500 ms)
   * @return a changed policy
   */
  public ReplicaPolicy timeout(Duration longest) {
    return new ReplicaPolicy(values.count, values.all, longest);
  }

  /** {@return the number of {@link #atLeast}; 0 for {@link #none} and {@link #all}} */
  public int count() {
    return values.count;
  }

  /** {@return whether every connected replica must confirm} */
  public boolean isAll() {
    return values.all;
  }

  /** {@return the longest time for which replicas are waited for} */
  public Duration timeout() {
    return values.timeout;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ReplicaPolicy policy && values.equals(policy.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "ReplicaPolicy");
  }
}
