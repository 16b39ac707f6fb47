package dev.sluice.bench.report;

/**
 * A number of ours that hardly depends on the machine, so that two runs can be compared by it: a
 * rate or a wait against another system's in the same round, or a count per operation.
 *
 * @param workload short name of the workload
 * @param system whose number it is
 * @param measure what is compared; see {@link #higherIsBetter}
 */
public record Ratio(String workload, String system, String measure, Spread value) {
  private static final String TIMES = "x ";
  private static final String WAIT = "p50 wait against ";

  /** So many times the rate of another. */
  static Ratio rate(String workload, String system, String other, Spread value) {
    return new Ratio(workload, system, TIMES + other, value);
  }

  /** The median wait, as a share of another's. */
  static Ratio wait(String workload, String system, String other, Spread value) {
    return new Ratio(workload, system, WAIT + other, value);
  }

  /** {@return whether it is a rate; the others are costs} */
  public boolean higherIsBetter() {
    return measure.startsWith(TIMES);
  }

  /** {@return whether it is counted, and not timed} */
  public boolean isCount() {
    return !higherIsBetter() && !measure.startsWith(WAIT);
  }
}
