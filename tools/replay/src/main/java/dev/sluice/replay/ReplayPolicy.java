package dev.sluice.replay;

import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiterOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One of the policies that are compared.
 *
 * @param tiers limits that are decided all or nothing
 * @since 0.1
 */
public record ReplayPolicy(List<Limit> tiers) {

  /** Checks the tiers as a limiter does. */
  public ReplayPolicy {
    tiers = RateLimiterOptions.of(tiers).limits();
  }

  /**
   * Parses a policy: limits as {@link Limit#parse} reads them, separated by {@code +} between
   * blanks.
   *
   * @param text the policy
   * @return the policy
   * @throws IllegalArgumentException if the text is none; the message says why
   */
  public static ReplayPolicy parse(String text) {
    List<Limit> tiers = new ArrayList<>();
    for (String tier : text.strip().split("\\s\\+\\s", -1)) {
      tiers.add(Limit.parse(tier.strip()));
    }
    return new ReplayPolicy(tiers);
  }

  /** {@return whether this is a leaky queue} */
  boolean isQueue() {
    return tiers.get(0).algorithm() == Limit.Algorithm.LEAKY_QUEUE;
  }

  /** {@return the policy as {@link #parse} reads it} */
  @Override
  public String toString() {
    return tiers.stream().map(Limit::toString).collect(Collectors.joining(" + "));
  }
}
