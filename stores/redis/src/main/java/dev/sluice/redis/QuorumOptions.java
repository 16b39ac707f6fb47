package dev.sluice.redis;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.LockOptions;
import dev.sluice.spi.BackendSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a quorum. An immutable value: {@link #of} chooses the defaults, and each further
 * method returns a changed copy. A value out of its range throws {@link IllegalArgumentException}.
 *
 * <p>Use the same values in all clients of a quorum. If they differ, nodes refuse leases that are
 * longer than the longest lease the quorum was founded with.
 *
 * @since 0.1
 */
public final class QuorumOptions {

  /** The default longest lease: 60 s. */
  public static final Duration DEFAULT_MAX_TTL = Duration.ofSeconds(60);

  private final Values values;

  private QuorumOptions(Values values) {
    this.values = values;
  }

  private record Values(BackendSettings backend, Duration maxTtl, boolean durable, boolean fresh) {

    Values {
      requireNonNull(backend, "backend must not be null");
      requireNonNull(maxTtl, "maxTtl must not be null");
      if (maxTtl.compareTo(LockOptions.MIN_TTL) < 0 || maxTtl.compareTo(LockOptions.MAX_TTL) > 0) {
        throw new IllegalArgumentException("maxTtl must be 10ms to 1d: " + maxTtl);
      }
    }
  }

  /**
   * Leases of 60 s at most; nodes that are not durable and may have served before.
   *
   * @param backend the request timeout, and the namespace
   * @return the options
   */
  public static QuorumOptions of(BackendSettings backend) {
    return new QuorumOptions(new Values(backend, DEFAULT_MAX_TTL, false, false));
  }

  /**
   * Sets the longest lease. A node that restarted stays out for that time, so keep it short.
   *
   * @param longest 10 ms to one day (default: 60 s)
   * @return changed options
   */
  public QuorumOptions maxTtl(Duration longest) {
    Values v = values;
    return new QuorumOptions(new Values(v.backend, longest, v.durable, v.fresh));
  }

  /**
   * Declares that every node syncs every write to its disk before it answers ({@code appendonly
   * yes}, {@code appendfsync always}). A node that restarts on its data then serves immediately. If
   * a node does not sync every write, tokens may repeat.
   *
   * @return changed options
   */
  public QuorumOptions durable() {
    Values v = values;
    return new QuorumOptions(new Values(v.backend, v.maxTtl, true, v.fresh));
  }

  /**
   * Declares that the nodes never served this quorum, or that no client holds a lease or a token of
   * it any more. If all nodes are empty, the quorum is founded immediately instead of after {@link
   * #maxTtl()}.
   *
   * @return changed options
   */
  public QuorumOptions fresh() {
    Values v = values;
    return new QuorumOptions(new Values(v.backend, v.maxTtl, v.durable, true));
  }

  /** {@return the request timeout, and the namespace} */
  public BackendSettings backend() {
    return values.backend;
  }

  /** {@return the longest lease} */
  public Duration maxTtl() {
    return values.maxTtl;
  }

  /** {@return whether every node syncs every write to its disk before it answers} */
  public boolean isDurable() {
    return values.durable;
  }

  /** {@return whether empty nodes are new} */
  public boolean isFresh() {
    return values.fresh;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof QuorumOptions options && values.equals(options.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "QuorumOptions");
  }
}
