package dev.sluice.bench.soak;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The result of a run.
 *
 * @param asked how long it should have been
 * @param took how long it was
 * @param seconds when each sample was taken
 * @param series what was measured
 * @param calls how often each primitive was used
 * @param failures how often calls failed, by kind
 * @param messages what the first failure of each kind said
 * @param faults what struck, how often
 * @param broken what was seen of each promise that broke, for the first time
 * @param trouble why the run itself is not to be trusted; empty if it is
 */
record SoakOutcome(
    Duration asked,
    Duration took,
    List<Double> seconds,
    List<Series> series,
    Map<String, Long> calls,
    Map<String, Long> failures,
    Map<String, String> messages,
    Map<String, Long> faults,
    Map<String, String> broken,
    List<String> trouble) {
  /** Before that, the judged half has begun while the keys of a minute were still filling up. */
  private static final Duration FILLED = Duration.ofMinutes(4);

  /** {@return names of the series that grew} */
  List<String> grown() {
    return series.stream().filter(Series::grows).map(Series::name).toList();
  }

  /** {@return whether there were samples enough to judge by} */
  boolean isJudged() {
    return series.stream()
        .filter(one -> one.bound() != null)
        .anyMatch(one -> one.growth().isKnown());
  }

  /** {@return how long the part of the run was that is judged, in seconds} */
  double judgedSeconds() {
    return seconds.isEmpty()
        ? 0
        : seconds.get(seconds.size() - 1) - seconds.get(seconds.size() / 2);
  }

  /** {@return whether no series grew beyond its bound and every promise held} */
  boolean isWithinBounds() {
    return grown().isEmpty() && broken.isEmpty() && trouble.isEmpty() && isJudged();
  }

  /** {@return one line} */
  String text() {
    if (!trouble.isEmpty()) {
      return "TROUBLE: " + String.join("; ", trouble);
    }
    if (!broken.isEmpty()) {
      return "BROKEN: " + broken;
    }
    if (!isJudged()) {
      return "too short to tell: " + seconds.size() + " samples";
    }
    if (grown().isEmpty()) {
      return "no growth beyond the bounds";
    }
    boolean early =
        took.compareTo(FILLED) < 0 && grown().stream().allMatch(ProcessSampler::isOfKeys);
    return "GROWS: "
        + String.join(", ", grown())
        + (early ? "; keys live for a minute, so run for four minutes or more" : "");
  }
}
