package dev.sluice.redis.keys;

import dev.sluice.spi.LimitRule;
import dev.sluice.text.Names;
import java.util.ArrayList;
import java.util.List;

/** The keys of limiters. Those of one decision share a hash tag. */
public final class LimitKeys {
  private final String open;

  public LimitKeys(KeySpace space) {
    this.open = space.open();
  }

  /**
   * The tiers of one key of a limiter. If all keys share some tier, all of them must live in one
   * slot.
   */
  public CallKeys tiers(String limiter, String key, List<LimitRule> rules) {
    return new CallKeys(limiter, names(limiter, key, rules));
  }

  /** The tiers of one key, followed by the id of a settled use. */
  public CallKeys settlement(String limiter, String key, List<LimitRule> rules, String id) {
    List<String> names = names(limiter, key, rules);
    String first = names.get(0);
    names.add(first.substring(0, first.indexOf('}', open.length()) + 1) + ":u:" + id);
    return new CallKeys(limiter, names);
  }

  private List<String> names(String limiter, String key, List<LimitRule> rules) {
    String owner = owner(limiter);
    String whose = Names.encode(key);
    boolean anyShared = false;
    for (LimitRule rule : rules) {
      anyShared |= rule.shared();
    }
    List<String> keys = new ArrayList<>(rules.size() + 1);
    for (LimitRule rule : rules) {
      keys.add(
          anyShared
              ? open + owner + "}:" + part(rule) + (rule.shared() ? "" : ":" + whose)
              : open + owner + ":" + whose + "}:" + part(rule));
    }
    return keys;
  }

  /** A colon comes before names, so that a tier named "ock" is not taken for a lock. */
  private static String part(LimitRule rule) {
    char first = rule.tier().charAt(0);
    return (first >= '0' && first <= '9' ? "l" : "l:") + rule.tier();
  }

  public CallKeys queue(String limiter, String key) {
    String start = open + owner(limiter) + ":" + Names.encode(key) + "}:";
    return new CallKeys(limiter, List.of(start + "q", start + "turns"));
  }

  public CallKeys throttle(String key) {
    return new CallKeys(key, List.of(open + Names.encode(key) + "}:throttle"));
  }

  /** The colon ends the limiter's name. */
  private static String owner(String limiter) {
    String encoded = Names.encode(limiter);
    return encoded.indexOf(':') < 0 ? encoded : encoded.replace(":", "%3A");
  }
}
