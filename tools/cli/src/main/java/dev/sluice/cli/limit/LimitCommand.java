package dev.sluice.cli.limit;

import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "limit",
    exitCodeOnInvalidInput = Exit.USAGE,
    subcommands = {
      LimitTryCommand.class,
      LimitPeekCommand.class,
      LimitResetCommand.class,
      LimitSetCommand.class,
      LimitHistoryCommand.class,
      LimitRevertCommand.class,
      ReplayCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    descriptionHeading = "%n",
    optionListHeading = "%n",
    commandListHeading = "%nCommands:%n",
    description = {
      "Rate limits: ask one, reset one, change its policy, or see what one would have done.",
      "",
      LimitArguments.POLICY_FORM
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice limit try login alice --policy 'token-bucket 10/m burst 5'",
      "  sluice limit replay access.log --policy 'sliding-window 600/1m'"
    })
public final class LimitCommand implements Runnable {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @SuppressWarnings("NullAway.Init")
  LimitCommand() {}

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a command is missing. See 'sluice limit --help'");
  }
}
