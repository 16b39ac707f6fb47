package dev.sluice.limit;

import java.time.Duration;
import java.util.Optional;

/**
 * The decision of a limiter. The numbers are those of the tier that decides: the one that makes a
 * refused caller wait longest, or the one with the fewest permits left.
 *
 * @param allowed whether the call may go ahead
 * @param limit most permits that tier admits at one moment
 * @param remaining permits that would pass right now, 0 to {@code limit}
 * @param retryAfter zero when allowed; otherwise the shortest wait after which the same cost could
 *     pass, if no other call comes
 * @param resetAfter time until nothing counts as spent, if no call comes
 * @param refusedBy the tier that refused: its name, or its place from 1; empty when allowed
 * @param source who decided. For {@link Source#LEASE}, {@link Source#MEMO} and {@link
 *     Source#FALLBACK} the numbers are the last known ones
 * @since 0.1
 */
public record Decision(
    boolean allowed,
    long limit,
    long remaining,
    Duration retryAfter,
    Duration resetAfter,
    Optional<String> refusedBy,
    Source source) {

  /** The source of a decision. */
  public enum Source {
    /** The store, by a request. */
    STORE,
    /** Permits that this process had leased. */
    LEASE,
    /** An earlier refusal of the store, whose time has not come yet. */
    MEMO,
    /** The outage policy, because the store did not answer in time. */
    FALLBACK
  }
}
