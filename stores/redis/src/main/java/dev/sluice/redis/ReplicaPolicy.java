package dev.sluice.redis;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The number of replicas that must confirm a change before it counts. It holds for every grant and
 * every renewal of locks, semaphores and read-write locks, and for {@code trySetCount} and {@code
 * countDown} of latches. Releases, queue places, capacities, limits, Bloom filters, caches and
 * stock do not wait. An immutable value.
 *
 * <p>What it gives: a fail-over to a replica that confirmed does not lose the lease. What it does
 * not: Redis may promote a replica that did not confirm; with {@link #all} there is none, unless a
 * replica has joined or come back since.
 *
 * @param count how many replicas; 0 for none, or with {@code every}
 * @param every every replica that is connected to the master, and at least one
 * @param timeout longest time to wait for them, 1 ms to 1 h; never longer than half the request
 *     timeout
 * @since 0.1
 */
public record ReplicaPolicy(int count, boolean every, Duration timeout) {
  private static final Duration USUAL = Duration.ofMillis(500);
  private static final Duration LONGEST = Duration.ofHours(1);

  /** Checks every setting. */
  public ReplicaPolicy {
    requireNonNull(timeout, "timeout must not be null");
    if (count < 0 || every && count > 0) {
      throw new IllegalArgumentException("replicas must be >= 1, or all: " + count);
    }
    if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("the time for replicas must be 1ms to 1h: " + timeout);
    }
  }

  /** {@return the policy that waits for no replica} */
  public static ReplicaPolicy none() {
    return new ReplicaPolicy(0, false, USUAL);
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
    return new ReplicaPolicy(replicas, false, USUAL);
  }

  /**
   * {@return every replica that is connected to the master at that time, and at least one, within
   * half a second} A replica that crashed is not connected; one that hangs is, until the master
   * gives it up (its {@code repl-timeout}, 60 s).
   */
  public static ReplicaPolicy all() {
    return new ReplicaPolicy(0, true, USUAL);
  }

  /**
   * Sets the time for which replicas are waited for.
   *
   * @param longest 1 ms to 1 h
   * @return a changed policy
   */
  public ReplicaPolicy within(Duration longest) {
    return new ReplicaPolicy(count, every, longest);
  }
}
