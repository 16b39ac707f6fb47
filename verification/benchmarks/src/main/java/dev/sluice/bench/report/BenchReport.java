package dev.sluice.bench.report;

import dev.sluice.servers.PageLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.jr.ob.JSON;

/** Writes what a run has found: Markdown, JSON, a chart. */
public final class BenchReport {
  private final Facts facts;
  private final List<Section> sections;
  private final @Nullable String drawing;

  public BenchReport(Facts facts, List<Section> sections) {
    this(facts, sections, null);
  }

  /**
   * A report with a separate chart.
   *
   * @param drawing SVG in place of the chart of rates; null for that chart
   */
  public BenchReport(Facts facts, List<Section> sections, @Nullable String drawing) {
    this.facts = facts;
    this.sections = List.copyOf(sections);
    this.drawing = drawing;
  }

  /** Writes {@code NAME.json}, {@code NAME.md} and, where there is a chart, {@code NAME.svg}. */
  public void write(Path folder, String name) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve(name + ".json"), json());
    Files.writeString(folder.resolve(name + ".md"), markdown());
    if (hasChart()) {
      Files.writeString(folder.resolve(name + ".svg"), chart());
    }
  }

  /**
   * Puts the report into its place in a document, and the chart, if there is one, beside it.
   *
   * @param chapter names the place: between the lines {@code <!-- results: CHAPTER -->} and {@code
   *     <!-- end of results: CHAPTER -->}
   * @param chart file name of the chart
   * @throws IllegalArgumentException if the document does not have these lines
   */
  public void publish(Path document, String chapter, String chart) throws IOException {
    if (!hasChart()) {
      place(document, chapter, page());
      return;
    }
    String shown = drawing == null ? "Operations per second" : facts.heading();
    place(document, chapter, "![" + shown + "](" + chart + ")\n\n" + page());
    Files.writeString(document.resolveSibling(chart), chart());
  }

  /**
   * Puts a text into its place in a document, as {@link #publish} does, with one sentence on each
   * line.
   *
   * @throws IllegalArgumentException if the document does not have the lines of the chapter
   */
  public static void place(Path document, String chapter, String results) throws IOException {
    String begin = "<!-- results: " + chapter + " -->";
    String end = "<!-- end of results: " + chapter + " -->";
    String text = Files.readString(document);
    int from = text.indexOf(begin);
    int to = text.indexOf(end, Math.max(0, from));
    if (from < 0 || to < 0) {
      throw new IllegalArgumentException(document + " has no lines " + begin + " and " + end);
    }
    Files.writeString(
        document,
        text.substring(0, from + begin.length())
            + "\n\n"
            + PageLines.reflowed(results)
            + "\n"
            + text.substring(to));
  }

  /** {@return all goals of all workloads} */
  public List<Goal> goals() {
    return sections.stream().flatMap(section -> section.goals().stream()).toList();
  }

  /** {@return the whole report as text, with the goals and whether they were met} */
  public String markdown() {
    return text("Goals", Section.goalTable(goals()));
  }

  /** {@return the report for readers: what was measured, without the goals of this project} */
  String page() {
    return text("In short", Section.summaryTable(goals()));
  }

  private String text(String title, String summary) {
    StringBuilder out = new StringBuilder();
    facts
        .entries()
        .forEach(
            (name, value) -> out.append("- ").append(name).append(": ").append(value).append('\n'));
    if (!summary.isEmpty()) {
      out.append("\n### ").append(title).append("\n\n").append(summary);
    }
    for (Section section : sections) {
      out.append("\n### ").append(section.title()).append("\n\n");
      out.append(section.meaning()).append("\n\n").append(section.table());
    }
    return out.toString();
  }

  private boolean hasChart() {
    return drawing != null || sections.stream().anyMatch(Section::charted);
  }

  String chart() {
    if (drawing != null) {
      return drawing;
    }
    DotChart chart = new DotChart(facts.heading(), "operations per second, log scale");
    for (Section section : sections) {
      if (!section.charted()) {
        continue;
      }
      chart.group(section.title());
      for (String label : section.results().labels()) {
        chart.row(label, section.results().of(label, Metric.OPS));
      }
    }
    return chart.toSvg();
  }

  String json() throws IOException {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("heading", facts.heading());
    root.put("extent", facts.extent());
    root.put("facts", facts.entries());
    root.put("goals", goals().stream().map(BenchReport::json).toList());
    root.put("ratios", ratios());
    root.put("workloads", sections.stream().map(BenchReport::json).toList());
    return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(root) + "\n";
  }

  /** By workload, system and measure. */
  private Map<String, Object> ratios() {
    Map<String, Object> all = new LinkedHashMap<>();
    for (Section section : sections) {
      Map<String, Map<String, Object>> systems = new LinkedHashMap<>();
      for (Ratio ratio : section.ratios()) {
        systems
            .computeIfAbsent(ratio.system(), system -> new LinkedHashMap<>())
            .put(ratio.measure(), json(ratio.value()));
      }
      all.put(section.id(), systems);
    }
    return all;
  }

  private static Map<String, Object> json(Goal goal) {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("goal", goal.text());
    out.put("target", goal.target());
    out.put("met", goal.met());
    out.put("measured", json(goal.measured()));
    return out;
  }

  private static Map<String, Object> json(Spread spread) {
    Map<String, Object> out = new LinkedHashMap<>();
    if (spread.isKnown()) {
      out.put("median", spread.median());
      out.put("least", spread.least());
      out.put("most", spread.most());
    }
    out.put("rounds", spread.rounds());
    return out;
  }

  private static Map<String, Object> json(Section section) {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", section.id());
    out.put("title", section.title());
    Map<String, Object> systems = new LinkedHashMap<>();
    for (String label : section.results().labels()) {
      Map<String, Object> metrics = new LinkedHashMap<>();
      for (Metric metric : Metric.values()) {
        Spread spread = section.results().of(label, metric);
        if (spread.isKnown()) {
          Map<String, Object> entry = json(spread);
          entry.put(
              "values",
              section.results().rounds(label).stream()
                  .map(sample -> sample.get(metric))
                  .filter(value -> !value.isNaN())
                  .toList());
          metrics.put(metric.title(), entry);
        }
      }
      systems.put(label, metrics);
    }
    out.put("systems", systems);
    return out;
  }
}
