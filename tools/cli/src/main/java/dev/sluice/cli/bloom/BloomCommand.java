package dev.sluice.cli.bloom;

import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "bloom",
    exitCodeOnInvalidInput = Exit.USAGE,
    subcommands = {
      BloomCreateCommand.class,
      BloomAddCommand.class,
      BloomCheckCommand.class,
      BloomInfoCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    descriptionHeading = "%n",
    optionListHeading = "%n",
    commandListHeading = "%nCommands:%n",
    description =
        "Bloom filters: sets that processes share, and that never deny what was added. An element is"
            + " text, as its UTF-8.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice bloom create ids 1000000 0.01",
      "  sluice bloom add ids - < ids.txt",
      "  sluice bloom check ids p-1 p-2"
    })
public final class BloomCommand implements Runnable {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @SuppressWarnings("NullAway.Init")
  BloomCommand() {}

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a command is missing. See 'sluice bloom --help'");
  }
}
