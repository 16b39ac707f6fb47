package dev.sluice.cli.lock;

import dev.sluice.Finding;
import dev.sluice.Sluice;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.store.StoreReport;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.lock.LockInfo;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "show",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    description = {
      "Show one lock: holder, fencing token, queue.",
      "",
      "Without a name: which store this is, and in short what 'sluice doctor' finds there."
    })
public final class ShowCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "The lock.")
  private @Nullable String name;

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
    if (name != null) {
      Arguments.checkDecoded(spec.commandLine(), List.of(name));
    }
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      if (name == null) {
        String store = sluice.describe();
        List<String> notes = sluice.diagnose().stream().map(Finding::what).toList();
        out.print(json ? StoreReport.json(store, notes) : StoreReport.lines(store, notes));
        return Exit.OK;
      }
      LockInfo lock = sluice.inspect().lock(name);
      if (json) {
        out.println(LockView.json(lock));
      } else {
        out.print(LockView.lines(lock));
      }
      return Exit.OK;
    }
  }
}
