package dev.sluice.cli.bloom;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Creation;
import dev.sluice.bloom.Funnel;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.HelpOption;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "create",
    exitCodeOnInvalidInput = Exit.USAGE,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    description = "Make a filter, if there is none. One that is there stays as it is.",
    exitCodeList = {
      "0:it was made, or is there with this size",
      "64:the command line does not make sense",
      "65:the store holds something else under this name",
      "69:the store cannot be reached, or does not answer",
      "73:it is there with another size"
    })
final class BloomCreateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;

  @Parameters(index = "0", paramLabel = "NAME", description = "The filter: 1 to 512 bytes.")
  private String name;

  @Parameters(index = "1", paramLabel = "N", description = "How many elements it is made for.")
  private long elements;

  @Parameters(
      index = "2",
      paramLabel = "FPP",
      description = "The rate of wrong 'maybe' with that many, 1e-15 to below 1.")
  private double rate;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @SuppressWarnings("NullAway.Init")
  BloomCreateCommand() {}

  @Override
  public Integer call() {
    Arguments.checkDecoded(spec.commandLine(), List.of(name));
    BloomSpec size = BloomSpec.of(elements, rate);
    try (Sluice sluice = StoreOption.of(spec).connectToFilters()) {
      BloomFilter<String> filter = sluice.bloomFilter(name, Funnel.utf8(), size);
      Creation creation = filter.create();
      spec.commandLine()
          .getOut()
          .println(
              json ? BloomView.json(name, size, creation) : BloomView.line(name, size, creation));
      return creation == Creation.EXISTS_WITH_OTHER_SPEC ? Exit.CANNOT_CREATE : Exit.OK;
    }
  }
}
