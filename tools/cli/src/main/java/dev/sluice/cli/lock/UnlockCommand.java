package dev.sluice.cli.lock;

import dev.sluice.Sluice;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Text;
import dev.sluice.lock.ForcedRelease;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "unlock",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    description = {
      "Take a lock from its holder: for one that hangs.",
      "",
      "The next waiter gets the lock immediately. The old holder gets a message, but works on until"
          + " it arrives, so two may work for a while; a resource that checks tokens refuses the"
          + " old one. FENCE is a token above all of the old ones, to raise such a resource to."
    })
public final class UnlockCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Parameters(paramLabel = "NAME", description = "The lock.")
  private String name;

  @Option(names = "--force", description = "Confirms that another holder loses the lock. Required.")
  private boolean force;

  @Option(
      names = "--json",
      description = {
        "Print one JSON object: name, taken, holder (as show prints it), fence; the last two are"
            + " absent if the lock was free."
      })
  private boolean json;

  @SuppressWarnings("NullAway.Init")
  UnlockCommand() {}

  @Override
  public Integer call() {
    Arguments.checkDecoded(spec.commandLine(), List.of(name));
    if (!force) {
      throw new ParameterException(
          spec.commandLine(), "this takes the lock from its holder; confirm with --force");
    }
    PrintWriter out = spec.commandLine().getOut();
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      Optional<ForcedRelease> forced = sluice.lock(name).forceRelease();
      if (json) {
        out.println(LockView.json(name, forced));
      } else if (forced.isPresent()) {
        out.print(LockView.lines(forced.get()));
      } else {
        Text.report(spec.commandLine().getErr(), "lock '" + name + "' is not held");
      }
      return Exit.OK;
    }
  }
}
