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
import picocli.CommandLine.Spec;

@Command(
    name = "reset",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    description = {
      "Forget what a key has spent.",
      "",
      "Tiers that all keys share are left alone. Nothing is printed when it is done."
    })
final class LimitResetCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private LimitArguments limit;

  @SuppressWarnings("NullAway.Init")
  LimitResetCommand() {}

  @Override
  public Integer call() {
    RateLimiterOptions options = limit.options();
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      limit.limiter(sluice, options).reset(limit.key());
      return Exit.OK;
    }
  }
}
