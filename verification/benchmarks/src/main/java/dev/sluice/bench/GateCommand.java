package dev.sluice.bench;

import dev.sluice.bench.gate.Accepted;
import dev.sluice.bench.gate.Gate;
import dev.sluice.bench.gate.GateResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
final class GateCommand extends GateOptions {
  @Option(
      names = "--margin",
      paramLabel = "PERCENT",
      defaultValue = "20",
      description = "Of rates and waits, 0 to 50: ${DEFAULT-VALUE}.")
  private double margin;

  @Override
  public Integer call() throws Exception {
    GateResult verdict =
        GateResult.of(new Gate(margin / 100), Accepted.read(accepted()), runs(), chapters);
    System.out.print(verdict.text());
    return verdict.isOpen() ? 0 : 1;
  }
}
