package dev.sluice.bench;

import dev.sluice.bench.gate.Run;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The runs, and the accepted runs that they are compared with. */
abstract class GateOptions implements Callable<Integer> {
  @Parameters(
      paramLabel = "CHAPTER",
      arity = "0..*",
      description = "Only these; otherwise every chapter that was run or accepted.")
  List<String> chapters = new ArrayList<>();

  @Option(names = "--from", paramLabel = "DIR", description = "Where the run is: .run/bench.")
  private @Nullable Path from;

  @Option(
      names = "--accepted",
      paramLabel = "FILE",
      description = "What is accepted: verification/benchmarks/accepted.json.")
  private @Nullable Path accepted;

  Path accepted() throws URISyntaxException {
    return accepted == null
        ? ReportCommand.home().resolve("verification/benchmarks/accepted.json")
        : accepted;
  }

  Path folder() throws URISyntaxException {
    return ReportCommand.folder(from);
  }

  /** Reads the runs of the folder, all or those that are named. */
  List<Run> runs() throws IOException, URISyntaxException {
    List<Path> files = new ArrayList<>();
    for (String chapter : chapters.isEmpty() ? Plan.chapters() : chapters) {
      if (!Plan.chapters().contains(chapter)) {
        throw new IllegalArgumentException(
            "no chapter '" + chapter + "'; there are " + String.join(", ", Plan.chapters()));
      }
      files.add(folder().resolve(chapter + ".json"));
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
