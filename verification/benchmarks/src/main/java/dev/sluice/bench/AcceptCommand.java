package dev.sluice.bench;

import dev.sluice.bench.gate.Accepted;
import dev.sluice.bench.gate.Run;
import dev.sluice.bench.report.Facts;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench accept}: makes the last run the one that later ones are held against. */
@Command(
    name = "accept",
    description = {
      "Writes the ratios of the last run, with their spread, into verification/benchmarks/accepted.json.",
      "Chapters that were not run keep what they have."
    },
    mixinStandardHelpOptions = true)
final class AcceptCommand extends GateOptions {
  @Option(
      names = "--widen",
      description =
          "Keeps the spread that is accepted already: it then spans this run and those before.")
  private boolean widen;

  @Override
  public Integer call() throws Exception {
    Path file = accepted();
    Accepted all = Accepted.read(file);
    List<Run> runs = runs();
    if (runs.isEmpty()) {
      throw new IllegalArgumentException(
          folder() + " has no run of a chapter: run ./sluice bench all first");
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
}
