package dev.sluice.verification.crash;

import java.util.List;
import java.util.Map;

/**
 * The result of a run.
 *
 * @param violations each with its invariant; empty if all held
 * @param kills how many of what
 * @param sales that came to rest and were checked
 * @param admitted claims that buyers got an answer for
 * @param orders that are paid in the end
 * @param cancelled orders that gave their units back
 * @param rejected claims that the database refused
 * @param restored orders that the store had lost and that were restored
 * @param unknown requests without an answer
 * @param seconds it took
 * @param seed repeats the order of things
 */
record CrashResult(
    List<String> violations,
    Map<String, Integer> kills,
    int sales,
    long admitted,
    long orders,
    long cancelled,
    long rejected,
    long restored,
    long unknown,
    double seconds,
    long seed) {

  boolean isClean() {
    return violations.isEmpty();
  }

  String text() {
    int all = kills.values().stream().mapToInt(Integer::intValue).sum();
    StringBuilder text =
        new StringBuilder(
            String.format(
                java.util.Locale.ROOT,
                "%d kills %s in %d sales, %.0f s: %,d admitted, %,d paid, %,d cancelled, %,d rejected;"
                    + " %,d requests without an answer, %,d orders restored to the store%n",
                all,
                kills,
                sales,
                seconds,
                admitted,
                orders,
                cancelled,
                rejected,
                unknown,
                restored));
    violations.forEach(violation -> text.append("  ").append(violation).append('\n'));
    return text.append(isClean() ? "I1 to I12 held" : violations.size() + " VIOLATIONS")
        .append(", seed ")
        .append(seed)
        .append('\n')
        .toString();
  }
}
