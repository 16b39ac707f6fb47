package dev.sluice.cli;

import dev.sluice.Sluice;
import dev.sluice.lock.LockInfo;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(
    name = "show",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    description = "Show one lock: holder, fencing token, queue.")
final class ShowCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @ParentCommand private Main main;

  @Parameters(paramLabel = "NAME", description = "The lock.")
  private String name;

  @Option(
      names = "--json",
      description = {
        "Print one JSON object: name, held, holder (client, attempt, token, since,"
            + " remainingMillis; absent when free), lastToken (0: none remembered),"
            + " waiters (client, attempt; in order)."
      })
  private boolean json;

  @SuppressWarnings("NullAway.Init")
  ShowCommand() {}

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Arguments.checkDecoded(spec.commandLine(), List.of(name));
    try (Sluice sluice = main.connect()) {
      LockInfo lock = sluice.lockInfo(name);
      if (json) {
        out.println(LockView.json(lock));
      } else {
        out.print(LockView.lines(lock));
      }
      return Exit.OK;
    }
  }
}
