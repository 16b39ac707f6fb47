package dev.sluice.cli;

import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "completion",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    optionListHeading = "%n",
    description = "Print a completion script for bash and zsh.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(sluice completion)                 this shell",
      "  sluice completion > ~/.local/share/bash-completion/completions/sluice"
    })
final class CompletionCommand implements Runnable {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @SuppressWarnings("NullAway.Init")
  CompletionCommand() {}

  @Override
  public void run() {
    spec.commandLine().getOut().print(AutoComplete.bash("sluice", spec.root().commandLine()));
  }
}
