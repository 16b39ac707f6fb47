package dev.sluice.cli.limit;

import dev.sluice.Sluice;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.limit.RateLimiterOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "peek",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    description = "Say what 'try' would answer, and take nothing.",
    exitCodeList = {
      "0:would be allowed",
      "64:the command line does not make sense",
      "65:the store holds something else under this name",
      "69:the store cannot be reached, or does not answer",
      "75:would be refused"
    })
final class LimitPeekCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private LimitArguments limit;

  @Option(
      names = "--cost",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many permits. Default: ${DEFAULT-VALUE}.")
  private long cost;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @SuppressWarnings("NullAway.Init")
  LimitPeekCommand() {}

  @Override
  public Integer call() {
    RateLimiterOptions options = limit.options();
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      return limit.print(sluice, limit.limiter(sluice, options).peek(limit.key(), cost), json);
    }
  }
}
