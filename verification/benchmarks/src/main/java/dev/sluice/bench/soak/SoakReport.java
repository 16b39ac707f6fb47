package dev.sluice.bench.soak;

import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.Facts;
import dev.sluice.bench.report.MarkdownTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report of a run as Markdown, with a picture of every series. */
public final class SoakReport {
  private final SoakOutcome outcome;

  SoakReport(SoakOutcome outcome) {
    this.outcome = outcome;
  }

  /**
   * {@return whether nothing grew beyond its bound, nothing broke, and there was enough to judge
   * by}
   */
  public boolean isWithinBounds() {
    return outcome.isWithinBounds();
  }

  /** {@return names of the series that grew} */
  public List<String> grown() {
    return outcome.grown();
  }

  /** {@return the verdict in one line} */
  public String verdict() {
    return outcome.text();
  }

  /**
   * Writes {@code soak.md} and {@code soak.svg}.
   *
   * @param folder where; made if need be
   * @param facts where and how the run was made
   * @throws IOException if they could not be written
   */
  public void write(Path folder, Facts facts) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("soak.md"), markdown(facts));
    Files.writeString(folder.resolve("soak.svg"), picture(facts));
  }

  /**
   * Puts the report into its place in a document, and the picture beside it.
   *
   * @param document has the lines of the chapter "soak"
   * @param facts where and how the run was made
   * @throws IOException if it could not be read or written
   */
  public void publish(Path document, Facts facts) throws IOException {
    BenchReport.place(document, "soak", markdown(facts));
    Files.writeString(document.resolveSibling("soak.svg"), picture(facts));
  }

  private String picture(Facts facts) {
    return new SoakPlots(outcome).svg(facts.heading());
  }

  /** {@return the report as text} */
  public String markdown(Facts facts) {
    StringBuilder out = new StringBuilder();
    facts
        .entries()
        .forEach(
            (name, value) -> out.append("- ").append(name).append(": ").append(value).append('\n'));
    out.append(
        String.format(
            Locale.ROOT,
            "- Length: %d s of %d s, %d samples%n",
            outcome.took().toSeconds(),
            outcome.asked().toSeconds(),
            outcome.seconds().size()));
    if (outcome.isJudged()) {
      out.append(
          String.format(
              Locale.ROOT,
              "- Judged: the last %.0f s; per hour, the rise and the bound are %.1f times as much%n",
              outcome.judgedSeconds(),
              Growth.perHour(outcome.judgedSeconds())));
    }
    out.append("\n**").append(outcome.text()).append("**\n\n");
    out.append("![every series](soak.svg)\n\n").append(series()).append('\n');
    counts(out, "calls", outcome.calls());
    counts(out, "fault", outcome.faults());
    failures(out);
    outcome.broken().forEach((promise, what) -> out.append("- " + promise + ": " + what + "\n"));
    return out.toString();
  }

  private String series() {
    MarkdownTable table =
        new MarkdownTable("series", "median", "rise of the floor", "allowed", "verdict");
    for (Series one : outcome.series()) {
      if (one.bound() == null) {
        continue;
      }
      Growth growth = one.growth();
      if (growth.isKnown()) {
        table.row(
            one.name(),
            number(growth.base(), one.unit()),
            number(growth.rise(), one.unit()),
            number(growth.allowed(), one.unit()),
            growth.grows() ? "GROWS" : "within bound");
      } else {
        table.row(one.name(), "-", "-", "-", "too few samples");
      }
    }
    return table.toString();
  }

  private static void counts(StringBuilder out, String what, Map<String, Long> counts) {
    if (!counts.isEmpty()) {
      MarkdownTable table = new MarkdownTable(what, "times");
      counts.forEach((kind, count) -> table.row(kind, String.format(Locale.ROOT, "%,d", count)));
      out.append(table).append('\n');
    }
  }

  private void failures(StringBuilder out) {
    if (!outcome.failures().isEmpty()) {
      MarkdownTable table = new MarkdownTable("failure", "times", "the first");
      outcome
          .failures()
          .forEach(
              (kind, count) ->
                  table.row(
                      kind,
                      String.format(Locale.ROOT, "%,d", count),
                      brief(outcome.messages().getOrDefault(kind, ""))));
      out.append(table).append('\n');
    }
  }

  private static String brief(String message) {
    String line = message.lines().findFirst().orElse("").replace('|', '/');
    return line.length() > 120 ? line.substring(0, 120) + "..." : line;
  }

  static String number(double value, String unit) {
    if (unit.equals("bytes")) {
      return String.format(Locale.ROOT, "%.2f MB", value / 1e6);
    }
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%,.1f", value);
  }
}
