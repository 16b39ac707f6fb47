package dev.sluice.bench.gate;

import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Holds a run against the accepted one. */
public final class Gate {
  /*
   * The rule. A ratio has a spread in each run, its least and its greatest round. It got worse when
   * even the best round of this run is worse than the worst round accepted, by more than a margin:
   * for rates and waits a share of that accepted round, which is for what differs between two runs
   * of the same build and not between the rounds of one; for counts a tenth, and a little that is
   * for pings and the turns at both ends of a window. A single round or two have no spread to speak
   * of, so their margin is twice as wide.
   */

  /** Of rates and waits. */
  public static final double MARGIN = 0.2;

  private static final double COUNT_MARGIN = 0.1;
  private static final double FEW_COMMANDS = 0.02;
  private static final double FEW_BYTES = 1;
  private static final int ENOUGH_ROUNDS = 3;

  private final double margin;

  /**
   * A gate.
   *
   * @param margin of rates and waits, 0 to 0.5, such as {@link #MARGIN}
   */
  public Gate(double margin) {
    if (!(margin >= 0 && margin <= 0.5)) {
      throw new IllegalArgumentException("margin must be 0 to 0.5: " + margin);
    }
    this.margin = margin;
  }

  /** The change of a ratio. */
  public enum Change {
    /** Beyond both spreads and the margin. */
    WORSE("WORSE", true),
    /** It was accepted once, and is not there any more. */
    VANISHED("VANISHED", true),
    /** Beyond both spreads and the margin, so the accepted file is due for renewal. */
    BETTER("better", false),
    /** Nothing was accepted for it. */
    NEW("new", false);

    private final String word;
    private final boolean failure;

    Change(String word, boolean failure) {
      this.word = word;
      this.failure = failure;
    }

    String word() {
      return word;
    }

    /** {@return whether the gate stays closed} */
    public boolean isFailure() {
      return failure;
    }
  }

  /**
   * Something to be told.
   *
   * @param accepted what was accepted, if anything
   * @param now what this run says, if anything
   */
  public record Finding(Change change, Optional<Ratio> accepted, Optional<Ratio> now) {
    /** {@return the newer of the two, for what both have in common} */
    public Ratio ratio() {
      return now.or(() -> accepted).orElseThrow();
    }
  }

  /** {@return everything that is not as it was, in the order of the accepted run} */
  public List<Finding> compare(Run accepted, Run now) {
    List<Finding> findings = new ArrayList<>();
    for (Ratio before : accepted.ratios()) {
      Optional<Ratio> after = find(now, before);
      if (after.isEmpty()) {
        findings.add(new Finding(Change.VANISHED, Optional.of(before), after));
      } else if (isBeyond(before, after.get(), true)) {
        findings.add(new Finding(Change.WORSE, Optional.of(before), after));
      } else if (isBeyond(before, after.get(), false)) {
        findings.add(new Finding(Change.BETTER, Optional.of(before), after));
      }
    }
    for (Ratio after : now.ratios()) {
      if (find(accepted, after).isEmpty()) {
        findings.add(new Finding(Change.NEW, Optional.empty(), Optional.of(after)));
      }
    }
    return findings;
  }

  static boolean isSame(Ratio one, Ratio other) {
    return one.workload().equals(other.workload())
        && one.system().equals(other.system())
        && one.measure().equals(other.measure());
  }

  private static Optional<Ratio> find(Run run, Ratio wanted) {
    return run.ratios().stream().filter(each -> isSame(each, wanted)).findFirst();
  }

  /** Whether all rounds have moved to one side, the worse or the better one. */
  private boolean isBeyond(Ratio before, Ratio after, boolean worse) {
    Spread then = before.value();
    Spread now = after.value();
    boolean few = Math.min(then.rounds(), now.rounds()) < ENOUGH_ROUNDS;
    double share = (before.isCount() ? COUNT_MARGIN : margin) * (few ? 2 : 1);
    double more = before.isCount() ? slack(before) : 0;
    boolean down = worse == before.higherIsBetter();
    return down
        ? now.most() < then.least() * (1 - share) - more
        : now.least() > then.most() * (1 + share) + more;
  }

  private static double slack(Ratio count) {
    return count.measure().contains("bytes") ? FEW_BYTES : FEW_COMMANDS;
  }
}
