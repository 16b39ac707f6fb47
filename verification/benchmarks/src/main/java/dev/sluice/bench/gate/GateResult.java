package dev.sluice.bench.gate;

import dev.sluice.bench.gate.Gate.Change;
import dev.sluice.bench.gate.Gate.Finding;
import dev.sluice.bench.report.Facts;
import dev.sluice.bench.report.MarkdownTable;
import dev.sluice.bench.report.Ratio;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The decision of a gate about the runs of a folder.
 *
 * @param isOpen whether nothing got worse, nothing vanished, and something was compared
 * @param text for reading
 */
public record GateResult(boolean isOpen, String text) {

  /**
   * Looks at every chapter that was run, and at those that should have been.
   *
   * @param named the only chapters to look at; all if empty
   */
  public static GateResult of(
      Gate gate, Accepted accepted, List<Run> runs, Collection<String> named) {
    StringBuilder out = new StringBuilder();
    List<Finding> findings = new ArrayList<>();
    MarkdownTable table =
        new MarkdownTable("chapter", "workload", "system", "measure", "accepted", "now", "");
    int compared = 0;
    boolean open = true;
    for (Run run : runs) {
      Optional<Run> known = accepted.run(run.extent(), run.chapter());
      if (known.isEmpty()) {
        open = false;
        out.append(run.chapter())
            .append(": ")
            .append(
                run.extent().equals(Facts.PART)
                    ? "was measured in part, which says nothing: run it whole"
                    : "nothing is accepted for a run of this extent, '" + run.extent() + "'")
            .append('\n');
        continue;
      }
      out.append(about(run, known.get()));
      compared += known.get().ratios().size();
      for (Finding finding : gate.compare(known.get(), run)) {
        findings.add(finding);
        row(table, run.chapter(), finding);
        open &= !finding.change().isFailure();
      }
    }
    for (String chapter : vanished(accepted, runs, named)) {
      open = false;
      out.append(chapter).append(": accepted once, and not run now\n");
    }
    if (!findings.isEmpty()) {
      out.append('\n').append(table).append('\n');
    }
    for (Change change : Change.values()) {
      long count = findings.stream().filter(each -> each.change() == change).count();
      out.append(change.word()).append(": ").append(count).append(", ");
    }
    out.append("of ").append(compared).append(" ratios accepted\n");
    if (compared == 0) {
      out.append("nothing was compared: run ./sluice bench all, and once ./sluice bench accept\n");
    }
    return new GateResult(open && compared > 0, out.toString());
  }

  /** Chapters accepted for an extent of which others were run. */
  private static Set<String> vanished(Accepted accepted, List<Run> runs, Collection<String> named) {
    Set<String> chapters = new TreeSet<>(named);
    if (named.isEmpty()) {
      runs.forEach(run -> chapters.addAll(accepted.chapters(run.extent()).keySet()));
    }
    runs.forEach(run -> chapters.remove(run.chapter()));
    return chapters;
  }

  private static String about(Run run, Run known) {
    String machine = known.source().getOrDefault("Machine", "unknown");
    return run.chapter()
        + ": run of "
        + run.source().getOrDefault("Date", "unknown date")
        + " against "
        + known.source().getOrDefault("Date", "unknown date")
        + (machine.equals(run.source().get("Machine"))
            ? ""
            : ", on another machine (" + machine + ")")
        + '\n';
  }

  private static void row(MarkdownTable table, String chapter, Finding finding) {
    Ratio ratio = finding.ratio();
    table.row(
        chapter,
        ratio.workload(),
        ratio.system(),
        ratio.measure(),
        finding.accepted().map(GateResult::shown).orElse("-"),
        finding.now().map(GateResult::shown).orElse("-"),
        finding.change().word());
  }

  private static String shown(Ratio ratio) {
    return ratio.value().text();
  }
}
