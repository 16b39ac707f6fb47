package dev.sluice.cli.limit;

import dev.sluice.Sluice;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.limit.PolicyBook;
import dev.sluice.limit.PolicyEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "history",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    description = {
      "Show what the policy book has: the versions of one limiter, or the present policies of all.",
      "",
      "The newest comes first. A limiter has at most 20 versions, fewer if they are long."
    })
final class LimitHistoryCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "NAME",
      description = "The limiter. Default: all.")
  private Optional<String> name = Optional.empty();

  @Option(names = "--json", description = "Print one JSON array.")
  private boolean json;

  @SuppressWarnings("NullAway.Init")
  LimitHistoryCommand() {}

  @Override
  public Integer call() {
    name.ifPresent(each -> Arguments.checkDecoded(spec.commandLine(), List.of(each)));
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      PolicyBook book = sluice.policyBook();
      List<PolicyEntry> entries = name.map(book::history).orElseGet(book::all);
      if (json) {
        spec.commandLine().getOut().println(PolicyView.json(entries));
      } else {
        entries.forEach(entry -> spec.commandLine().getOut().println(PolicyView.line(entry)));
      }
      return Exit.OK;
    }
  }
}
