package dev.sluice.verification.torture;

import dev.sluice.verification.history.Event;
import dev.sluice.verification.history.Violation;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The result of a run.
 *
 * @param settings the run
 * @param violations broken promises; of our own library the first only
 * @param complaints what went wrong with the run itself, or was left behind
 * @param counts what happened, how often
 * @param faults what struck, how often
 * @param lastEvents the end of the history
 * @param marks what struck, when
 * @param seconds how long it took
 */
public record TortureResult(
    TortureSettings settings,
    List<Violation> violations,
    List<String> complaints,
    Map<String, Long> counts,
    Map<String, Long> faults,
    List<Event> lastEvents,
    List<Mark> marks,
    double seconds) {

  /**
   * A fault that struck.
   *
   * @param from when it began, nanoseconds of the history's clock
   * @param until when it was over
   * @param where servers or clients
   * @param what in a few words
   */
  public record Mark(long from, long until, String where, String what) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%12.3fms  %s: %s, for %.0f ms",
          from / 1e6,
          where,
          what,
          (until - from) / 1e6);
    }
  }

  /** {@return whether every promise held} */
  public boolean held() {
    return violations.isEmpty() && complaints.isEmpty();
  }

  /** {@return a few lines} */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(held() ? "every promise held" : "BROKEN")
        .append("; ")
        .append(settings.system())
        .append(" on ")
        .append(settings.topology())
        .append(settings.plant() == PlantedFault.NONE ? "" : ", planted " + settings.plant().word())
        .append(", seed ")
        .append(settings.seed())
        .append(String.format(Locale.ROOT, ", %.0f s%n", seconds));
    text.append("  ").append(words(counts)).append('\n');
    text.append("  faults: ").append(words(faults));
    new TreeMap<>(
            violations.stream()
                .collect(Collectors.groupingBy(Violation::rule, Collectors.counting())))
        .forEach(
            (rule, count) -> text.append("\n  ").append(rule).append(" broken: ").append(count));
    violations.stream().limit(3).forEach(v -> text.append("\n  ").append(v));
    complaints.forEach(complaint -> text.append("\n  ").append(complaint));
    return text.toString();
  }

  private static String words(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .map(entry -> entry.getKey() + " " + entry.getValue())
        .collect(Collectors.joining(", "));
  }
}
