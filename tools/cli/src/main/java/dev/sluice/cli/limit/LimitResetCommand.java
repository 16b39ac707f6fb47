package dev.sluice.cli;

import dev.sluice.Sluice;
import dev.sluice.limit.RateLimiterOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

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
  @Mixin private HelpOption help;
  @Mixin private LimitArguments limit;
  @ParentCommand private LimitCommand parent;

  @SuppressWarnings("NullAway.Init")
  LimitResetCommand() {}

  @Override
  public Integer call() {
    RateLimiterOptions options = limit.options();
    try (Sluice sluice = parent.main.connect()) {
      limit.limiter(sluice, options).reset(limit.key());
      return Exit.OK;
    }
  }
}
