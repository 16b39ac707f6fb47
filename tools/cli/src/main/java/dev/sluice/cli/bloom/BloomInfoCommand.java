package dev.sluice.cli.bloom;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomInfo;
import dev.sluice.bloom.Funnel;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import dev.sluice.cli.terminal.Text;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "info",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    description = "Show a filter: its size, how full it is, how often it errs now.",
    exitCodeList = {
      "0:shown",
      "64:the command line does not make sense",
      "65:the store holds something else under this name",
      "66:there is no such filter",
      "69:the store cannot be reached, or does not answer"
    })
final class BloomInfoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Parameters(index = "0", paramLabel = "NAME", description = "The filter: 1 to 512 bytes.")
  private String name;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @SuppressWarnings("NullAway.Init")
  BloomInfoCommand() {}

  @Override
  public Integer call() {
    Arguments.checkDecoded(spec.commandLine(), List.of(name));
    try (Sluice sluice = StoreOption.of(spec).connectToFilters()) {
      Optional<BloomInfo> info = sluice.bloomFilter(name, Funnel.utf8()).info();
      if (info.isEmpty()) {
        Text.report(spec.commandLine().getErr(), "there is no Bloom filter '" + name + "'");
        return Exit.NO_INPUT;
      }
      spec.commandLine()
          .getOut()
          .print(json ? BloomView.json(info.get()) : BloomView.lines(info.get()));
      return Exit.OK;
    }
  }
}
