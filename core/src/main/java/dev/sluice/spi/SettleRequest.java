package dev.sluice.spi;

import java.util.List;

/**
 * The actual cost of a use, sent to the store that admitted it.
 *
 * @param limiter name of the limiter
 * @param key whose permits
 * @param rules the tiers of the request that began it
 * @param id of the use: visible ASCII without blanks; the first settlement of an id counts
 * @param estimate the cost with which it began, at least 1
 * @param actual what it has cost, 0 or more
 * @param unused whether it did not happen: the call counts in no tier
 * @param begunAtMicros {@link LimitReply#at} of the request that began it
 * @param withinMicros how long after that a settlement counts, and its id is remembered
 * @since 0.1
 */
public record SettleRequest(
    String limiter,
    String key,
    List<LimitRule> rules,
    String id,
    long estimate,
    long actual,
    boolean unused,
    long begunAtMicros,
    long withinMicros) {
  /** The cost exceeds the room of every tier, including debt. */
  private static final long MAX_ACTUAL = 4 * LimitRule.MAX_COST;

  /** Bounds the actual cost, so that every sum stays exact. */
  public SettleRequest {
    rules = List.copyOf(rules);
    actual = Math.min(actual, MAX_ACTUAL);
  }

  /**
   * The actual cost of the use in a tier.
   *
   * @param rule of the tier
   * @return permits
   */
  public long costIn(LimitRule rule) {
    return unused ? 0 : rule.perCall() ? 1 : actual;
  }
}
