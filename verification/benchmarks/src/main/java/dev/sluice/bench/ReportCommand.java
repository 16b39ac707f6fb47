package dev.sluice.bench;

import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.Facts;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Section;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** A chapter as a command: where its report goes, alone or as a part of all. */
abstract class ReportCommand implements Callable<Integer> {
  @Option(names = "--quick", description = "Much shorter, and rougher.")
  private boolean quick;

  @Option(names = "--out", paramLabel = "DIR", description = "Where files go: .run/bench.")
  private @Nullable Path out;

  @Option(
      names = "--into",
      paramLabel = "FILE",
      description =
          "Also puts the tables into this document, between the lines of its chapter,"
              + " <!-- results: CHAPTER --> and <!-- end of results: CHAPTER -->.")
  private @Nullable Path into;

  @CommandLine.Spec CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  private Progress progress = new Progress();
  private @Nullable String extentOfAll;

  private final String chapter;
  private final String heading;
  private final String chart;

  /**
   * A chapter.
   *
   * @param chapter its name, that of its files, and of its place in the document
   * @param heading what the report is called
   * @param chart file name of the chart beside the document
   */
  ReportCommand(String chapter, String heading, String chart) {
    this.chapter = chapter;
    this.heading = heading;
    this.chart = chart;
  }

  final String chapter() {
    return chapter;
  }

  /** {@return a chart in place of the usual one; asked after the run} */
  @Nullable String drawing() {
    return null;
  }

  /** {@return whether a short run is wanted} */
  final boolean quick() {
    return quick;
  }

  /** {@return whether the options leave nothing out of what the chapter measures} */
  abstract boolean isWhole();

  /** {@return what keeps it from running on this machine, and what to do about it} */
  Optional<String> missing() {
    return Optional.empty();
  }

  /** {@return what it leaves out on this machine, each with the reason} */
  List<String> leftOut() {
    return List.of();
  }

  /** Makes it a part of a longer run, which prints the result. */
  void partOfAll(Progress part, String extent) {
    progress = part;
    extentOfAll = extent;
  }

  Progress progress() {
    return progress;
  }

  String commandLine() {
    return "./sluice bench "
        + String.join(" ", spec.commandLine().getParent().getParseResult().originalArgs());
  }

  /** Measures, and reports what was found. */
  int report(String jvmFlags, Callable<List<Section>> bench) throws Exception {
    Map<String, String> facts = Machine.facts(jvmFlags, commandLine());
    List<Section> sections;
    try {
      sections = bench.call();
    } finally {
      progress.end();
    }
    report(facts, sections);
    return 0;
  }

  /** Writes and prints the findings. */
  void report(Map<String, String> facts, List<Section> sections) throws Exception {
    String extent = extentOfAll;
    if (extent == null) {
      extent = isWhole() ? (quick() ? "quick" : "full") : Facts.PART;
    }
    BenchReport report = new BenchReport(new Facts(heading, extent, facts), sections, drawing());
    Path folder = folder(out);
    report.write(folder, chapter);
    if (into != null) {
      report.publish(into, chapter, chart);
    }
    if (extentOfAll == null) {
      System.out.println(report.markdown());
      System.out.println("written: " + folder.resolve(chapter) + ".md, .json, .svg");
    }
    if (!report.goals().isEmpty()) {
      long met = report.goals().stream().filter(Goal::met).count();
      System.out.printf(
          "%s%d of %d goals met%n",
          extentOfAll == null ? "" : chapter + ": ", met, report.goals().size());
    }
  }

  /** {@return where reports go unless another folder is asked for} */
  static Path folder(@Nullable Path asked) throws URISyntaxException {
    return asked == null ? home().resolve(".run/bench") : asked;
  }

  /** Removes the results of an earlier run, which could be taken for this one's. */
  static void forget(Path folder, String chapter) throws IOException {
    for (String kind : List.of(".json", ".md", ".svg")) {
      Files.deleteIfExists(folder.resolve(chapter + kind));
    }
  }

  /** The source tree that this was built from, or the working directory. */
  static Path home() throws URISyntaxException {
    Path classes =
        Path.of(ReportCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    for (Path folder = classes; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve("verification/benchmarks/pom.xml"))) {
        return folder;
      }
    }
    return Path.of("").toAbsolutePath();
  }
}
