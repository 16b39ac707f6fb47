package dev.sluice.cli.limit;

import dev.sluice.Sluice;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "revert",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    description = "Write an earlier version of a policy again, as a new version.")
final class LimitRevertCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private PolicyAuthor author;

  @Parameters(index = "0", paramLabel = "NAME", description = "The limiter: 1 to 512 bytes.")
  private String name;

  @Parameters(
      index = "1",
      paramLabel = "VERSION",
      description = "One that 'sluice limit history' shows.")
  private int version;

  @SuppressWarnings("NullAway.Init")
  LimitRevertCommand() {}

  @Override
  public Integer call() {
    Arguments.checkDecoded(spec.commandLine(), List.of(name));
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      spec.commandLine()
          .getOut()
          .println(
              PolicyView.line(
                  sluice.policyBook().revert(name, version, author.name(), author.reason())));
      return Exit.OK;
    }
  }
}
