package dev.sluice.console.fleet;

import dev.sluice.SluiceException;
import dev.sluice.console.http.Numbers;
import dev.sluice.console.http.Refusal;
import dev.sluice.limit.Limit;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Changes of limits that processes are asked for, each for a minute. Not safe for use by many
 * threads.
 */
public final class LimitChanges {
  private static final long CHANGE_MILLIS = Duration.ofMinutes(1).toMillis();
  private static final double MOST_GROWTH = 10;

  private record Change(LimitChange limit, long until) {}

  private final Map<String, Change> changes = new LinkedHashMap<>();

  /**
   * What a change of a limit would do.
   *
   * @param before the policies that processes have now, each once
   * @param after the policy that they would have
   * @param version its version
   * @param processes how many processes would take it over
   * @param growth how many times as much it admits as the strictest of those before
   */
  public record Plan(
      List<String> before, List<String> after, int version, int processes, double growth) {

    /** Whether people are to be asked twice. */
    boolean isLarge() {
      return growth > MOST_GROWTH;
    }

    public Map<String, Object> toJson() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("before", before);
      json.put("limits", after);
      json.put("version", version);
      json.put("processes", processes);
      json.put("large", isLarge());
      if (Double.isFinite(growth)) {
        json.put("growth", Numbers.round(growth));
      }
      return json;
    }

    /**
     * Checks that the policy may be asked for.
     *
     * @param large whether it may admit more than ten times as much
     * @throws Refusal if it may not
     */
    public void requireSmallOr(boolean large) {
      if (isLarge() && !large) {
        throw new Refusal(
            409,
            "large-change",
            "the policy may admit more than "
                + (int) MOST_GROWTH
                + " times as much as now: send \"large\": true if it is to");
      }
    }
  }

  /**
   * Says what a change would do, and changes nothing.
   *
   * @throws Refusal if no process that shows its figures has the limiter
   */
  public Plan plan(Fleet fleet, String limiter, List<Limit> limits) {
    long version = fleet.version(limiter);
    if (version < 0) {
      throw new Refusal(
          404,
          "no-such-limiter",
          "no process that shows its figures has limiter " + Names.quoted(limiter));
    }
    Change earlier = changes.get(limiter);
    long next = Math.max(version, earlier == null ? 0 : earlier.limit.version()) + 1;
    if (next > 65_535) {
      throw new Refusal(409, "no-version-left", "the highest version, 65535, is in use");
    }
    List<List<String>> policies = fleet.policies(limiter);
    return new Plan(
        policies.stream().map(each -> String.join(" + ", each)).distinct().toList(),
        limits.stream().map(Limit::toString).toList(),
        (int) next,
        policies.size(),
        policies.stream().mapToDouble(each -> LimitChange.growth(each, limits)).max().orElse(1));
  }

  /**
   * Adds a change to those that processes are asked for.
   *
   * @param tell tells them; if it fails, the change is taken back, so that none hears of it later
   */
  public void ask(String limiter, Plan plan, long now, Runnable tell) {
    Change earlier = changes.get(limiter);
    changes.put(
        limiter,
        new Change(new LimitChange(limiter, plan.after, plan.version), now + CHANGE_MILLIS));
    try {
      tell.run();
    } catch (SluiceException e) {
      if (earlier == null) {
        changes.remove(limiter);
      } else {
        changes.put(limiter, earlier);
      }
      throw e;
    }
  }

  /** What processes are asked for now, for JSON. */
  public List<Map<String, Object>> pending(long now) {
    changes.values().removeIf(change -> change.until < now);
    return changes.values().stream().map(change -> change.limit.toJson()).toList();
  }
}
