package dev.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(
    name = "limit",
    exitCodeOnInvalidInput = Exit.USAGE,
    subcommands = {
      LimitTryCommand.class,
      LimitPeekCommand.class,
      LimitResetCommand.class,
      ReplayCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    descriptionHeading = "%n",
    optionListHeading = "%n",
    commandListHeading = "%nCommands:%n",
    description = {
      "Rate limits: ask one, reset one, or see what one would have done.",
      "",
      LimitCommand.POLICY_FORM
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice limit try login alice --policy 'token-bucket 10/m burst 5'",
      "  sluice limit replay access.log --policy 'sliding-window 600/1m'"
    })
final class LimitCommand implements Runnable {
  static final String POLICY_FORM =
      "A policy is ALGORITHM COUNT/PERIOD [burst N] [slots N] [places N] [name NAME] [shared], for"
          + " instance 'token-bucket 10/s burst 20'. Algorithms: token-bucket, leaky-bucket, gcra,"
          + " sliding-window, sliding-log, fixed-window, expiring-window, leaky-queue. Several are"
          + " joined as tiers by ' + '; a request passes all of them or none.";

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @ParentCommand Main main;

  @SuppressWarnings("NullAway.Init")
  LimitCommand() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which command? See 'sluice limit --help'");
  }
}
