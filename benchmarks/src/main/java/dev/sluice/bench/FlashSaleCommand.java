package dev.sluice.bench;

import dev.sluice.bench.report.Facts;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.sale.SaleBench;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench flash-sale}: the sample application under load from outside. */
@Command(
    name = "flash-sale",
    description = {
      "Every way to sell under ab -c 10000 -n 20000, on a Redis and a PostgreSQL of the bench's own.",
      "Needs ab, wrk (Debian: apache2-utils, wrk), PostgreSQL, and a hard limit of 20,000 open files.",
      "Prints tables and writes them as Markdown and JSON, with a chart."
    },
    mixinStandardHelpOptions = true)
final class FlashSaleCommand implements Callable<Integer> {
  private static final String CHAPTER = "flash-sale";

  @Option(names = "--quick", description = "One round, shorter.")
  private boolean quick;

  @Option(names = "--concurrency", defaultValue = "10000", description = "${DEFAULT-VALUE}")
  private int concurrency;

  @Option(names = "--requests", defaultValue = "20000", description = "${DEFAULT-VALUE}")
  private int requests;

  @Option(names = "--out", paramLabel = "DIR", description = "Where files go: .run/bench.")
  private @Nullable Path out;

  @Option(
      names = "--into",
      paramLabel = "FILE",
      description = "Also puts the tables into this document: docs/flash-sale.md.")
  private @Nullable Path into;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    String words =
        "./sluice bench "
            + String.join(" ", spec.commandLine().getParent().getParseResult().originalArgs());
    Map<String, String> facts = Machine.facts(SaleBench.jvmFlags(), words);
    Progress progress = new Progress();
    List<Section> sections;
    try {
      sections =
          new SaleBench(concurrency, requests, quick ? 1 : 3, quick ? 3 : 10, progress::tell).run();
    } finally {
      progress.end();
    }
    Report report = new Report(new Facts("A flash sale", facts), sections);
    Path folder = out == null ? ChapterCommand.home().resolve(".run/bench") : out;
    report.write(folder, CHAPTER);
    if (into != null) {
      report.publish(into, CHAPTER, "flash-sale-benchmark.svg");
    }
    System.out.println(report.markdown());
    System.out.println("written: " + folder.resolve(CHAPTER) + ".md, .json, .svg");
    long met = report.goals().stream().filter(Goal::met).count();
    System.out.printf("%d of %d goals met%n", met, report.goals().size());
    return 0;
  }
}
