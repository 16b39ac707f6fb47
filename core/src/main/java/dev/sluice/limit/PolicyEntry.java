package dev.sluice.limit;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * One version of a policy in a {@link PolicyBook}. Immutable, safe for use by many threads.
 *
 * @param limiter the name of the limiter
 * @param version 1 to 65535, higher than that of every earlier entry of the limiter
 * @param limits the tiers, 1 to 8
 * @param overrides other tiers for single keys
 * @param plans other tiers for the keys of a plan, by its name
 * @param author who wrote it, 1 to 100 characters
 * @param reason why, at most 200 characters, may be empty
 * @param writtenAt when, by the clock of the process that wrote it
 * @since 0.1
 */
public record PolicyEntry(
    String limiter,
    int version,
    List<Limit> limits,
    Map<String, List<Limit>> overrides,
    Map<String, List<Limit>> plans,
    String author,
    String reason,
    Instant writtenAt) {

  /** Copies the lists. */
  public PolicyEntry {
    limits = List.copyOf(limits);
    overrides = Map.copyOf(overrides);
    plans = Map.copyOf(plans);
  }
}
