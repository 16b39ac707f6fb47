package dev.sluice.bench;

import dev.sluice.bench.gate.Accepted;
import dev.sluice.bench.gate.Run;
import dev.sluice.bench.report.Facts;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice bench accept}: makes the last run the one that later ones are held against. */
@Command(
    name = "accept",
    description = {
      "Writes the ratios of the last run, with their spread, into verification/benchmarks/accepted.json.",
      "Chapters that were not run keep what they have."
    },
    mixinStandardHelpOptions = true)
final class AcceptCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "CHAPTER",
      arity = "0..*",
      description = "Only these; otherwise every chapter that was run.")
  private List<String> chapters = new ArrayList<>();

  @Option(
      names = "--widen",
      description =
          "Keeps the spread that is accepted already: it then spans this run and those before.")
  private boolean widen;

  @Option(names = "--from", paramLabel = "DIR", description = "Where the run is: .run/bench.")
  private @Nullable Path from;

  @Option(
      names = "--accepted",
      paramLabel = "FILE",
      description = "What is accepted: verification/benchmarks/accepted.json.")
  private @Nullable Path accepted;

  @Override
  public Integer call() throws Exception {
    Path file = file(accepted);
    Accepted all = Accepted.read(file);
    List<Run> runs = runs(ReportCommand.folder(from), chapters);
    if (runs.isEmpty()) {
      throw new IllegalArgumentException(
          ReportCommand.folder(from) + " has no run of a chapter: run ./sluice bench all first");
    }
    for (Run run : runs) {
      if (run.extent().equals(Facts.PART)) {
        throw new IllegalArgumentException(
            run.chapter()
                + " was measured in part, by "
                + run.source().getOrDefault("Command", "an unknown command")
                + ": run it whole, or name the chapters to accept");
      }
      all = widen ? all.widenedBy(run) : all.with(run);
      System.out.printf(
          "accepted: %s (%s), %d ratios%n", run.chapter(), run.extent(), run.ratios().size());
    }
    all.write(file);
    System.out.println("written: " + file);
    return 0;
  }

  static Path file(@Nullable Path asked) throws URISyntaxException {
    return asked == null
        ? ReportCommand.home().resolve("verification/benchmarks/accepted.json")
        : asked;
  }

  /** Reads the runs of a folder, all or those that are named. */
  static List<Run> runs(Path folder, List<String> chapters) throws IOException {
    List<Path> files = new ArrayList<>();
    for (String chapter : chapters.isEmpty() ? Plan.chapters() : chapters) {
      if (!Plan.chapters().contains(chapter)) {
        throw new IllegalArgumentException(
            "no chapter '" + chapter + "'; there are " + String.join(", ", Plan.chapters()));
      }
      files.add(folder.resolve(chapter + ".json"));
    }
    List<Run> runs = new ArrayList<>();
    for (Path file : files) {
      if (Files.exists(file)) {
        runs.add(Run.read(file));
      }
    }
    return runs;
  }
}
