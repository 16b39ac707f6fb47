package dev.sluice.cli.stock;

import dev.sluice.NamePage;
import dev.sluice.Sluice;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Text;
import dev.sluice.inventory.ClaimState;
import dev.sluice.inventory.DeadLetter;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.Sale;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "stock",
    exitCodeOnInvalidInput = Exit.USAGE,
    synopsisSubcommandLabel = "COMMAND",
    descriptionHeading = "%n",
    optionListHeading = "%n",
    commandListHeading = "%nCommands:%n",
    description = "Limited stock: sales of units that are never sold twice.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice stock open sneaker-42 1 100 --hold 15m --drained",
      "  sluice stock show sneaker-42",
      "  sluice stock close sneaker-42 1"
    })
public final class StockCommand implements Runnable {
  private static final String NAME = "The stock: 1 to 512 bytes.";
  private static final String EPOCH = "Which sale of it: 1 or more; a later one is higher.";
  private static final String JSON = "Print JSON.";

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @SuppressWarnings("NullAway.Init")
  StockCommand() {}

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a command is missing. See 'sluice stock --help'");
  }

  @Command(
      name = "ls",
      exitCodeOnInvalidInput = Exit.USAGE,
      description = "List stocks that the store knows, with their figures.")
  int list(
      @Mixin HelpOption asked,
      @Option(names = "--json", description = JSON) boolean json,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "1000",
              description = "List at most N. Default: ${DEFAULT-VALUE}.")
          int limit) {
    if (limit < 1) {
      throw new ParameterException(spec.commandLine(), "--limit must be at least 1: " + limit);
    }
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      NamePage page = sluice.inspect().inventoryNames(limit);
      List<String> names = page.names();
      List<InventoryInfo> infos = sluice.inspect().inventories(names);
      if (json) {
        spec.commandLine().getOut().println(StockView.json(names, infos));
      } else if (names.isEmpty()) {
        Text.report(spec.commandLine().getErr(), "no stocks at " + sluice.describe());
      } else {
        spec.commandLine().getOut().print(StockView.table(names, infos));
      }
      if (page.more()) {
        Text.report(spec.commandLine().getErr(), "there are more than " + limit + "; see --limit");
      }
      return Exit.OK;
    }
  }

  @Command(
      name = "show",
      exitCodeOnInvalidInput = Exit.USAGE,
      description = "Show the figures of a stock.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {"0:shown", "66:there is no such stock"})
  int show(
      @Mixin HelpOption asked,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(names = "--json", description = JSON) boolean json) {
    return figures(name, json, sluice -> sluice.inventory(name).info());
  }

  @Command(
      name = "open",
      exitCodeOnInvalidInput = Exit.USAGE,
      description = {
        "Load stock and begin a sale. One that runs already with these terms goes on.",
      },
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        "0:the sale is there",
        "73:another sale is in the way, the message says which"
      })
  int open(
      @Mixin HelpOption asked,
      @Parameters(index = "0", paramLabel = "NAME", description = NAME) String name,
      @Parameters(index = "1", paramLabel = "EPOCH", description = EPOCH) long epoch,
      @Parameters(index = "2", paramLabel = "TOTAL", description = "Units.") long total,
      @Option(
              names = "--hold",
              paramLabel = "DURATION",
              defaultValue = "0s",
              description = "How long a claim waits to be confirmed. Default: it is final.")
          String hold,
      @Option(names = "--drained", description = "Queue accepted claims for a drain.")
          boolean drained,
      @Option(names = "--json", description = JSON) boolean json) {
    Duration held = DurationText.option(spec.commandLine(), "--hold", hold);
    Sale terms = Sale.epoch(epoch).total(total).hold(held);
    Sale sale = drained ? terms.drained() : terms;
    return figures(name, json, sluice -> sluice.inventory(name).open(sale));
  }

  @Command(
      name = "close",
      exitCodeOnInvalidInput = Exit.USAGE,
      description = "End a sale; it can't be reopened. Claims that were accepted go on.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        "0:it is over, or another one is the present one",
        "66:there is no such stock"
      })
  int close(
      @Mixin HelpOption asked,
      @Parameters(index = "0", paramLabel = "NAME", description = NAME) String name,
      @Parameters(index = "1", paramLabel = "EPOCH", description = EPOCH) long epoch,
      @Option(names = "--json", description = JSON) boolean json) {
    return figures(name, json, sluice -> sluice.inventory(name).close(epoch));
  }

  @Command(
      name = "resize",
      exitCodeOnInvalidInput = Exit.USAGE,
      description = "Change how many units a sale has. Units that are claimed stay claimed.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {"0:changed", "73:this is not the present sale, the message says which is"})
  int resize(
      @Mixin HelpOption asked,
      @Parameters(index = "0", paramLabel = "NAME", description = NAME) String name,
      @Parameters(index = "1", paramLabel = "EPOCH", description = EPOCH) long epoch,
      @Parameters(index = "2", paramLabel = "TOTAL", description = "Units.") long total,
      @Option(names = "--json", description = JSON) boolean json) {
    return figures(
        name, json, sluice -> sluice.inventory(name).resize(Sale.epoch(epoch).total(total)));
  }

  @Command(
      name = "dead-letters",
      exitCodeOnInvalidInput = Exit.USAGE,
      description = "List claims that a drain could not write, the oldest first.")
  int deadLetters(
      @Mixin HelpOption asked,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(names = "--json", description = JSON) boolean json,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "1000",
              description = "List at most N, up to 10000. Default: ${DEFAULT-VALUE}.")
          int limit) {
    CommandLine command = spec.commandLine();
    Arguments.checkDecoded(command, List.of(name));
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      List<DeadLetter> claims = sluice.inventory(name).deadLetters(limit);
      if (json) {
        command.getOut().println(StockView.claimsJson(claims));
      } else if (claims.isEmpty()) {
        Text.report(command.getErr(), "no claims of '" + name + "' are dead letters");
      } else {
        command.getOut().print(StockView.claims(claims));
      }
      return Exit.OK;
    }
  }

  @Command(
      name = "requeue",
      exitCodeOnInvalidInput = Exit.USAGE,
      description = "Put a dead letter back into the queue of the drain.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {"0:it is queued", "66:it is no dead letter, the message names its state"})
  int requeue(
      @Mixin HelpOption asked,
      @Parameters(index = "0", paramLabel = "NAME", description = NAME) String name,
      @Parameters(index = "1", paramLabel = "CLAIMANT", description = "Whose claim.")
          String claimant,
      @Parameters(index = "2", paramLabel = "CLAIM", description = "Its number.") long claim) {
    CommandLine command = spec.commandLine();
    Arguments.checkDecoded(command, List.of(name, claimant));
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      ClaimState state = sluice.inventory(name).requeue(claimant, claim);
      if (state == ClaimState.QUEUED) {
        return Exit.OK;
      }
      Text.report(
          command.getErr(),
          "claim " + claim + " of '" + claimant + "' is " + state + ", not a dead letter");
      return Exit.NO_INPUT;
    }
  }

  private int figures(String name, boolean json, Function<Sluice, InventoryInfo> verb) {
    CommandLine command = spec.commandLine();
    Arguments.checkDecoded(command, List.of(name));
    try (Sluice sluice = StoreOption.of(spec).connect()) {
      InventoryInfo figures = verb.apply(sluice);
      if (figures.epoch() == 0) {
        Text.report(command.getErr(), "there is no stock '" + name + "'");
        return Exit.NO_INPUT;
      }
      command
          .getOut()
          .print(
              json
                  ? String.format("%s%n", StockView.json(name, figures))
                  : StockView.lines(name, figures));
      return Exit.OK;
    } catch (IllegalStateException e) { // a sale that is in the way
      Text.report(command.getErr(), e.getMessage());
      return Exit.CANNOT_CREATE;
    }
  }
}
