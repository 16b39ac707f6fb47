package dev.sluice.cli.lock;

import dev.sluice.NamePage;
import dev.sluice.Sluice;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Text;
import dev.sluice.lock.LockInfo;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "ls",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    optionListHeading = "%n",
    description = {
      "List locks: held, waited for, or used within the last minute.",
      "",
      "HOLDER is the start of the holder's id, TOKEN the fencing token of its grant (of a free lock:"
          + " the last one given), LEFT the time until the lease ends unless it is renewed, WAITERS"
          + " the number of processes in the queue."
    })
public final class ListCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Option(
      names = "--json",
      description = "Print one JSON array with an object per lock, as 'show --json' prints it.")
  private boolean json;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "1000",
      description = "List at most N locks. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @SuppressWarnings("NullAway.Init")
  ListCommand() {}

  @Override
  public Integer call() {
    if (limit < 1) {
      throw new ParameterException(spec.commandLine(), "--limit must be at least 1: " + limit);
    }
    PrintWriter out = spec.commandLine().getOut();
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      NamePage page = sluice.inspect().lockNames(limit);
      List<LockInfo> locks = sluice.inspect().locks(page.names());
      if (json) {
        out.println(LockView.json(locks));
      } else if (locks.isEmpty()) {
        Text.report(spec.commandLine().getErr(), "no locks at " + sluice.describe());
      } else {
        out.print(LockView.table(locks));
      }
      if (page.more()) {
        Text.report(spec.commandLine().getErr(), "there are more than " + limit + "; see --limit");
      }
      return Exit.OK;
    }
  }
}
