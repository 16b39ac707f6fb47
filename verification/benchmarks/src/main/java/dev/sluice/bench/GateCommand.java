package dev.sluice.bench;

import dev.sluice.bench.gate.Accepted;
import dev.sluice.bench.gate.Gate;
import dev.sluice.bench.gate.Verdict;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice bench gate}: fails if the last run is worse than the accepted one. */
@Command(
    name = "gate",
    description = {
      "Compares the ratios of the last run with the accepted ones; exit code 1 if one got worse.",
      "Worse: the best round of this run is beyond the worst one accepted by more than a margin:"
          + " of rates and waits see --margin, of counts 10 % and 0.02 commands or 1 byte; twice"
          + " that with less than three rounds."
    },
    mixinStandardHelpOptions = true)
final class GateCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "CHAPTER",
      arity = "0..*",
      description = "Only these; otherwise every chapter that was run or accepted.")
  private List<String> chapters = new ArrayList<>();

  @Option(
      names = "--margin",
      paramLabel = "PERCENT",
      defaultValue = "20",
      description = "Of rates and waits, 0 to 50: ${DEFAULT-VALUE}.")
  private double margin;

  @Option(names = "--from", paramLabel = "DIR", description = "Where the run is: .run/bench.")
  private @Nullable Path from;

  @Option(
      names = "--accepted",
      paramLabel = "FILE",
      description = "What is accepted: verification/benchmarks/accepted.json.")
  private @Nullable Path accepted;

  @Override
  public Integer call() throws Exception {
    Verdict verdict =
        Verdict.of(
            new Gate(margin / 100),
            Accepted.read(AcceptCommand.file(accepted)),
            AcceptCommand.runs(ReportCommand.folder(from), chapters),
            chapters);
    System.out.print(verdict.text());
    return verdict.isOpen() ? 0 : 1;
  }
}
