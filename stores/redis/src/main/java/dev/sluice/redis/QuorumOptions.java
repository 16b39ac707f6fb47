package dev.sluice.redis;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.LockOptions;
import dev.sluice.spi.BackendSettings;
import java.time.Duration;

/**
 * Settings of a quorum. Use the same values in all clients of a quorum. If they differ, nodes
 * refuse leases that are longer than the longest lease the quorum was founded with.
 *
 * @param backend the request timeout
 * @param maxTtl the longest lease, 10 ms to one day; a node that restarted stays out for that time,
 *     so keep it small
 * @param durable every node syncs every write to its disk before it answers ({@code appendonly
 *     yes}, {@code appendfsync always}); a node that restarts on its data then serves immediately.
 *     With a node that does not, tokens may repeat
 * @param fresh the nodes never served this quorum, or no client holds a lease or a token of it any
 *     more: where all nodes are empty, the quorum is founded immediately, not after {@code maxTtl}
 * @since 0.1
 */
public record QuorumOptions(
    BackendSettings backend, Duration maxTtl, boolean durable, boolean fresh) {

  /** The default longest lease: 60 s. */
  public static final Duration DEFAULT_MAX_TTL = Duration.ofSeconds(60);

  /** Checks the values. */
  public QuorumOptions {
    requireNonNull(backend, "backend must not be null");
    requireNonNull(maxTtl, "maxTtl must not be null");
    if (maxTtl.compareTo(LockOptions.MIN_TTL) < 0 || maxTtl.compareTo(LockOptions.MAX_TTL) > 0) {
      throw new IllegalArgumentException("maxTtl must be 10ms to 1d: " + maxTtl);
    }
  }

  /**
   * Leases of 60 s at most; nodes that are not durable and may have served before.
   *
   * @param backend the request timeout
   * @return the settings
   */
  public static QuorumOptions of(BackendSettings backend) {
    return new QuorumOptions(backend, DEFAULT_MAX_TTL, false, false);
  }

  /**
   * Sets the longest lease.
   *
   * @param longest 10 ms to one day
   * @return the settings with it
   */
  public QuorumOptions maxTtl(Duration longest) {
    return new QuorumOptions(backend, longest, durable, fresh);
  }

  /**
   * Sets whether every node syncs every write.
   *
   * @param syncsAlways see the record
   * @return the settings with it
   */
  public QuorumOptions durable(boolean syncsAlways) {
    return new QuorumOptions(backend, maxTtl, syncsAlways, fresh);
  }

  /**
   * Sets whether empty nodes are new.
   *
   * @param isNew see the record
   * @return the settings with it
   */
  public QuorumOptions fresh(boolean isNew) {
    return new QuorumOptions(backend, maxTtl, durable, isNew);
  }
}
